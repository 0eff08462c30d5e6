# edit.sh KIND EDIT: the program on a kept file whose text was edited so
case $1 in
digest) sed "$2" t.digest >bad.digest; set -- compare bad.digest g ;;
pack) rm -rf v; cp -r u v; sed -i "$2" v/target/rows.jsonl v/target/pairs.jsonl; (cd v && tar --format=ustar -cf ../bad.tar *); set -- compare bad.tar ;;
round) sed "1$2" round | gzip >bad.round-1.gz; set -- changes bad.round-1.gz bad.round-1.gz ;;
result) sed "$2" r.json >bad.json; set -- changes bad.json bad.json ;;
ranks) sed "$2" w.ranks.json >bad.ranks.json; set -- compare bad.ranks.json ;;
map) sed "$2" m.json >bad.json; set -- compare tt_rope/target tt_rope/bench --map bad.json ;;
investigation) sed "$2" t.investigation.json >bad.investigation.json; set -- note bad.investigation.json ;;
esac
"$DIVERGE" "$@" >out 2>&1 </dev/null
status=$?
[ $status = 3 ] && cat out
echo "exit $status"
