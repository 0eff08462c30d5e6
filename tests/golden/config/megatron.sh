#!/bin/bash
export NCCL_ALGO=Ring
GPUS=8
GPT_ARGS=(
    --num-layers 2
    --hidden-size 512 --ffn-hidden-size 1408
    --num-attention-heads 8
    --seq-length 1024 --max-position-embeddings 1024
    --position-embedding-type rope
    --norm-epsilon 1e-5   # not the yaml's
    --normalization RMSNorm --swiglu --disable-bias-linear
    --untie-embeddings-and-output-weights
    --attention-dropout 0.0 --hidden-dropout 0.0
    --attention-softmax-in-fp32 --no-rope-fusion --no-bias-swiglu-fusion
)
TRAIN="--micro-batch-size 1 --global-batch-size 8 --train-iters 1000 --lr 1e-5 --lr-decay-style constant \
  --weight-decay 0.1 --adam-beta2 0.95 --bf16 --seed 42 --log-interval 1 --use-distributed-optimizer"
torchrun --nproc_per_node $GPUS pretrain_gpt.py ${GPT_ARGS[@]} $TRAIN --vocab-size 32000 --split 100,0,0 \
  --load /ckpt --data-path /data/text_document $MORE 2>&1 | tee train.log
