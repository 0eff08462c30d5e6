"""Architectures of the sets that november.tsv lists, made as those of models.py."""


def add(models):
    """puts them beside those of models.py"""
    import torch, transformers
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, classified, DIM, GQA, TOK, GPT, ENC, VIT, W2V, SEQ2SEQ, V, S, masked, translated, regressed, diffuser, timm_model, image, speech, noise, tokens, configured, cross_entropy
    C, M = models.CAUSAL, models.MODELS
    SLIDE = {'sliding_window': 5, 'layer_types': ['sliding_attention', 'full_attention']}
    PICKS = {'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2}
    LATENT = {'num_key_value_heads': 4, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12}
    PLAIN = {k: v for k, v in GQA.items() if k != 'intermediate_size'}
    CONFORMER = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, subsampling_conv_channels=8, num_mel_bins=16, dropout=0.0, layerdrop=0.0, activation_dropout=0.0, attention_dropout=0.0, max_position_embeddings=64)
    C.update({
    'stablelm': ('StableLmForCausalLM', 'StableLmConfig', {**GQA, **TOK, 'partial_rotary_factor': 0.5, 'hidden_dropout': 0.0, 'attention_dropout': 0.0, 'use_parallel_residual': True}),
    'falcon': ('FalconForCausalLM', 'FalconConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'multi_query': True, 'parallel_attn': True, 'bias': False, 'hidden_dropout': 0.0, 'attention_dropout': 0.0}),
    'opt': ('OPTForCausalLM', 'OPTConfig', {**DIM, **TOK, 'ffn_dim': 80, 'word_embed_proj_dim': 48, 'dropout': 0.0}),
    'mpt': ('MptForCausalLM', 'MptConfig', dict(d_model=48, n_heads=4, n_layers=2, max_seq_len=32)),
    'persimmon': ('PersimmonForCausalLM', 'PersimmonConfig', {**DIM, **TOK, 'qk_layernorm': True, 'partial_rotary_factor': 0.5}),
    'starcoder2': ('Starcoder2ForCausalLM', 'Starcoder2Config', {**GQA, **TOK, 'residual_dropout': 0.0, 'embedding_dropout': 0.0}),
    'nemotron': ('NemotronForCausalLM', 'NemotronConfig', {**GQA, **TOK, 'partial_rotary_factor': 0.5}),
    'cohere': ('CohereForCausalLM', 'CohereConfig', {**GQA, **TOK, 'logit_scale': 0.25, 'use_qk_norm': True}),
    'recurrentgemma': ('RecurrentGemmaForCausalLM', 'RecurrentGemmaConfig', {**TOK, 'num_hidden_layers': 3, 'hidden_size': 48, 'intermediate_size': 96, 'num_attention_heads': 4, 'num_key_value_heads': 1, 'lru_width': 48, 'attention_window_size': 6, 'block_types': ['recurrent', 'recurrent', 'attention'], 'use_cache': False}),
    'jamba': ('JambaForCausalLM', 'JambaConfig', {**GQA, **TOK, 'num_experts': 4, 'num_experts_per_tok': 2, 'attn_layer_period': 2, 'attn_layer_offset': 1, 'expert_layer_period': 2, 'expert_layer_offset': 1, 'mamba_d_state': 8, 'mamba_dt_rank': 4, 'use_mamba_kernels': False}),
    'bamba': ('BambaForCausalLM', 'BambaConfig', {**GQA, **TOK, 'attn_layer_indices': [1], 'mamba_n_heads': 4, 'mamba_d_head': 24, 'mamba_d_state': 8, 'mamba_n_groups': 1, 'mamba_chunk_size': 4}),
    'mamba2': ('Mamba2ForCausalLM', 'Mamba2Config', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'num_heads': 4, 'head_dim': 24, 'state_size': 8, 'n_groups': 1, 'chunk_size': 4}),
    'olmoe': ('OlmoeForCausalLM', 'OlmoeConfig', {**GQA, **TOK, 'intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'output_router_logits': True}),
    'granitemoe': ('GraniteMoeForCausalLM', 'GraniteMoeConfig', {**GQA, **TOK, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0}),
    'flexolmo': ('FlexOlmoForCausalLM', 'FlexOlmoConfig', {**GQA, **TOK, 'intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2}),
    'hunyuanmoe': ('HunYuanMoEV1ForCausalLM', 'HunYuanMoEV1Config', {**GQA, **TOK, 'head_dim': 12, 'num_experts': 4, 'moe_topk': 2}),
    'solaropen': ('SolarOpenForCausalLM', 'SolarOpenConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'n_shared_experts': 1}),
    'gptbigcode': ('GPTBigCodeForCausalLM', 'GPTBigCodeConfig', {**GPT, 'multi_query': True, 'resid_pdrop': 0.0, 'embd_pdrop': 0.0, 'attn_pdrop': 0.0}),
    'helium': ('HeliumForCausalLM', 'HeliumConfig', {**GQA, **TOK, 'head_dim': 12}),
    'gemma': ('GemmaForCausalLM', 'GemmaConfig', {**GQA, **TOK, 'head_dim': 12}),
    'youtu': ('YoutuForCausalLM', 'YoutuConfig', {**DIM, **TOK, 'num_key_value_heads': 4, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12}),
    'moddecoder': ('ModernBertDecoderForCausalLM', 'ModernBertDecoderConfig', {**DIM, **TOK, 'local_attention': 6, 'global_attn_every_n_layers': 2, 'cls_token_id': 1, 'sep_token_id': 2}),
    'gemma2': ('Gemma2ForCausalLM', 'Gemma2Config', {**GQA, **TOK, 'head_dim': 12, 'query_pre_attn_scalar': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'attn_logit_softcapping': 5.0, 'final_logit_softcapping': 8.0}),
    'olmo2': ('Olmo2ForCausalLM', 'Olmo2Config', {**GQA, **TOK}),
    'ministral': ('MinistralForCausalLM', 'MinistralConfig', {**GQA, **TOK, 'head_dim': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    'granitemoeshared': ('GraniteMoeSharedForCausalLM', 'GraniteMoeSharedConfig', {**GQA, **TOK, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'shared_intermediate_size': 24, 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0}),
    'glm4moelite': ('Glm4MoeLiteForCausalLM', 'Glm4MoeLiteConfig', {**DIM, **TOK, 'num_key_value_heads': 4, 'moe_intermediate_size': 16, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12, 'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'mlp_layer_types': ['dense', 'sparse']}),
    'exaonemoe': ('ExaoneMoeForCausalLM', 'ExaoneMoeConfig', {**GQA, **TOK, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'num_shared_experts': 1, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'mlp_layer_types': ['dense', 'sparse']}),
    'hyv3': ('HYV3ForCausalLM', 'HYV3Config', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'num_shared_experts': 1, 'mlp_layer_types': ['dense', 'sparse']}),
    'jais2': ('Jais2ForCausalLM', 'Jais2Config', {**DIM, **TOK, 'head_dim': 12}),
    'cwm': ('CwmForCausalLM', 'CwmConfig', {**GQA, **TOK, 'head_dim': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    'mimo': ('MiMoV2FlashForCausalLM', 'MiMoV2FlashConfig', {**GQA, **TOK, 'head_dim': 16, 'v_head_dim': 12, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'sliding_window': 5, 'layer_types': ['full_attention', 'sliding_attention'], 'mlp_layer_types': ['dense', 'sparse']}),
    'qwen35moe': ('Qwen3_5MoeForCausalLM', 'Qwen3_5MoeTextConfig', {**GQA, 'head_dim': 16, 'linear_num_value_heads': 4, 'linear_num_key_heads': 2, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8, 'layer_types': ['linear_attention', 'full_attention'], 'moe_intermediate_size': 24, 'shared_expert_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2}),
    'rwkv': ('RwkvForCausalLM', 'RwkvConfig', dict(hidden_size=48, num_hidden_layers=2, attention_hidden_size=48, intermediate_size=96, context_length=32, use_cache=False)),
    'laguna': ('LagunaForCausalLM', 'LagunaConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'shared_expert_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'sliding_window': 5, 'layer_types': ['full_attention', 'sliding_attention'], 'mlp_layer_types': ['dense', 'sparse'], 'num_attention_heads_per_layer': [4, 4]}),
    'mellum': ('MellumForCausalLM', 'MellumConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'sliding_window': 5, 'layer_types': ['full_attention', 'sliding_attention'], 'mlp_layer_types': ['dense', 'sparse']}),
    'graniteswa': ('GraniteSWAForCausalLM', 'GraniteSWAConfig', {**GQA, **TOK, 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0, 'sliding_window': 5, 'layer_types': ['full_attention', 'sliding_attention']}),
    'cohere2moe': ('Cohere2MoeForCausalLM', 'Cohere2MoeConfig', {**GQA, **TOK, 'head_dim': 12, 'intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'num_shared_experts': 1, 'sliding_window': 5, 'layer_types': ['sliding_attention', 'full_attention']}),
    'kimilinear': ('KimiLinearForCausalLM', 'KimiLinearConfig', {**DIM, **TOK, 'num_key_value_heads': 4, 'moe_intermediate_size': 16, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12, 'num_local_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'mlp_layer_types': ['dense', 'sparse'], 'layer_types': ['linear_attention', 'full_attention'], 'linear_head_dim': 8, 'linear_num_heads': 4}),
    'hyperclovax': ('HyperCLOVAXForCausalLM', 'HyperCLOVAXConfig', {**GQA, **TOK, 'head_dim': 12, 'embedding_multiplier': 2.0, 'residual_multiplier': 0.5, 'logits_scaling': 0.5}),
    'ministral3': ('Ministral3ForCausalLM', 'Ministral3Config', {**GQA, **TOK, 'head_dim': 12}),
    'axk1': ('AXK1ForCausalLM', 'AXK1Config', {**DIM, **TOK, 'num_key_value_heads': 4, 'moe_intermediate_size': 16, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12, 'n_routed_experts': 8, 'n_group': 4, 'topk_group': 2, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'mlp_layer_types': ['dense', 'sparse']}),
    'zaya': ('ZayaForCausalLM', 'ZayaConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 1, 'router_hidden_size': 16}),
    'granitemoeswa': ('GraniteMoeSWAForCausalLM', 'GraniteMoeSWAConfig', {**GQA, **TOK, **SLIDE, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'shared_intermediate_size': 24, 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0}),
    'axk2': ('AXK2ForCausalLM', 'AXK2Config', {**DIM, **TOK, **LATENT, 'head_dim': 8, 'moe_intermediate_size': 16, 'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'mlp_layer_types': ['dense', 'sparse'], 'index_topk': 8, 'index_head_dim': 16, 'index_n_heads': 2, 'gated_norm_rank': 4}),
    'flint': ('FlintForCausalLM', 'FlintConfig', {**GQA, **TOK, **SLIDE, **PICKS, 'head_dim': 12, 'shared_expert_intermediate_size': 24}),
    'kolibri1': ('Kolibri1ForCausalLM', 'Kolibri1Config', {**PLAIN, **TOK, **SLIDE, **PICKS, 'head_dim': 12, 'shared_expert_intermediate_size': 24}),
    'laramini': ('LaraMiniForCausalLM', 'LaraMiniConfig', {**PLAIN, **TOK, **PICKS, 'head_dim': 12, 'sliding_window': 5, 'shared_expert_intermediate_size': 24, 'linear_num_value_heads': 4, 'linear_num_key_heads': 2, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8}),
    'beam': ('BeamForCausalLM', 'BeamConfig', {**GQA, **TOK, **SLIDE, **PICKS, 'head_dim': 12, 'n_group': 2, 'topk_group': 1, 'mlp_layer_types': ['dense', 'sparse']}),
    'dory': ('DoryForCausalLM', 'DoryConfig', {**GQA, **TOK, **SLIDE, 'head_dim': 12, 'n_input_layers': 1, 'n_output_layers': 1}),
    'glm': ('GlmForCausalLM', 'GlmConfig', {**GQA, **TOK, 'head_dim': 12}),
    'falconmamba': ('FalconMambaForCausalLM', 'FalconMambaConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'state_size': 8, 'time_step_rank': 4, 'use_cache': False}),
    'minimaxm3': ('MiniMaxM3VLForCausalLM', 'MiniMaxM3VLTextConfig', {**GQA, **TOK, 'head_dim': 12, 'intermediate_size': 24, 'dense_intermediate_size': 64, 'shared_intermediate_size': 24, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'rotary_dim': 6, 'mlp_layer_types': ['dense', 'sparse'], 'index_n_heads': 2, 'index_head_dim': 12, 'index_block_size': 4, 'index_topk_blocks': 2}),
    'hyv4': ('HYV4ForCausalLM', 'HYV4Config', {**DIM, **TOK, **LATENT, 'head_dim': 16, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'mlp_layer_types': ['dense', 'sparse'], 'index_topk': 8, 'index_head_dim': 16, 'index_n_heads': 2, 'hc_mult': 2}),
    'glmdsa': ('GlmMoeDsaForCausalLM', 'GlmMoeDsaConfig', {**DIM, **TOK, **LATENT, 'moe_intermediate_size': 16, 'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'mlp_layer_types': ['dense', 'sparse'], 'index_topk': 8, 'index_head_dim': 16, 'index_n_heads': 2}),
    'apertus1p5': ('Apertus1p5TextForCausalLM', 'Apertus1p5TextConfig', {**GQA, **TOK}),
    })
    M.update({
    'albert': masked('AlbertForMaskedLM', 'AlbertConfig', **ENC, embedding_size=24, **TOK),
    'electra': masked('ElectraForMaskedLM', 'ElectraConfig', **ENC, embedding_size=24, **TOK),
    'distilbert': masked('DistilBertForMaskedLM', 'DistilBertConfig', dim=48, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=32, dropout=0.0, attention_dropout=0.0),
    'roformer': masked('RoFormerForMaskedLM', 'RoFormerConfig', **ENC, embedding_size=48, rotary_value=False, **TOK),
    'mpnet': masked('MPNetForMaskedLM', 'MPNetConfig', **ENC, pad_token_id=1),
    'deberta': masked('DebertaForMaskedLM', 'DebertaConfig', **ENC, relative_attention=True, pos_att_type='p2c|c2p', max_relative_positions=16, position_biased_input=False),
    'bart': translated('BartForConditionalGeneration', 'BartConfig', **SEQ2SEQ),
    'marian': translated('MarianMTModel', 'MarianConfig', **SEQ2SEQ, decoder_vocab_size=V),
    'm2m100': translated('M2M100ForConditionalGeneration', 'M2M100Config', **{**SEQ2SEQ, 'encoder_layerdrop': 0.0, 'decoder_layerdrop': 0.0}),
    'switch': translated('SwitchTransformersForConditionalGeneration', 'SwitchTransformersConfig', d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, num_sparse_encoder_layers=1, num_sparse_decoder_layers=1, num_experts=4, expert_capacity=16, dropout_rate=0.0, router_jitter_noise=0.0),
    'conformer': regressed('Wav2Vec2ConformerForCTC', 'Wav2Vec2ConformerConfig', speech(400), **{k: v for k, v in W2V.items()}, vocab_size=V, conformer_conv_dropout=0.0, conv_depthwise_kernel_size=5, position_embeddings_type='relative', max_source_positions=64),
    'hubert': regressed('HubertForCTC', 'HubertConfig', speech(400), **W2V, vocab_size=V),
    'speech2text': lambda o: _s2t(o),
    'moonshine': lambda o: _moon(o),
    'beit': regressed('BeitForImageClassification', 'BeitConfig', image(16), **VIT, use_relative_position_bias=True, drop_path_rate=0.0, layer_scale_init_value=0.5),
    'segformer': regressed('SegformerForSemanticSegmentation', 'SegformerConfig', image(64), depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16, drop_path_rate=0.0, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout_prob=0.0),
    'regnet': regressed('RegNetForImageClassification', 'RegNetConfig', image(32, 3), embedding_size=8, hidden_sizes=[8, 16, 16, 24], depths=[1, 1, 1, 1], groups_width=4),
    'mobilevit': regressed('MobileViTForImageClassification', 'MobileViTConfig', image(64, 3), image_size=64, patch_size=2, num_attention_heads=4, hidden_sizes=[32, 32, 32], neck_hidden_sizes=[8, 16, 16, 24, 24, 24, 32], classifier_dropout_prob=0.0),
    'blip': lambda o: _blip(o),
    'patchtst': regressed('PatchTSTForPrediction', 'PatchTSTConfig', lambda o: {'past_values': noise(o, 'past', 2, 32, 3)}, context_length=32, prediction_length=8, patch_length=8, patch_stride=8, num_input_channels=3, d_model=16, num_hidden_layers=2, num_attention_heads=4, ffn_dim=32, loss='mse', scaling='std'),
    'clap': regressed('ClapTextModelWithProjection', 'ClapTextConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **ENC, **{**TOK, 'pad_token_id': 1, 'bos_token_id': 0}, vocab_size=V, projection_dim=16),
    'cait': timm_model('cait_xxs24_224', 32, img_size=32, embed_dim=48, depth=2, num_heads=4, depth_token_only=1),
    'davit': timm_model('davit_tiny', 64, 2, embed_dims=(16, 24, 32, 48), depths=(1, 1, 1, 1), num_heads=(2, 2, 4, 4)),
    'sd3': diffuser('SD3Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'pooled_projections': noise(o, 'pooled', 2, 16)}, sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=12, num_attention_heads=4, joint_attention_dim=24, caption_projection_dim=48, pooled_projection_dim=16, out_channels=4, pos_embed_max_size=8),
    'auraflow': diffuser('AuraFlowTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([0.1, 0.7]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, sample_size=8, patch_size=2, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, attention_head_dim=12, num_attention_heads=4, joint_attention_dim=24, caption_projection_dim=48, out_channels=4, pos_embed_max_size=64),
    'wan': diffuser('WanTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, patch_size=(1, 2, 2), num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=64, num_layers=2, rope_max_seq_len=32),
    'latte': diffuser('LatteTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=8, num_layers=1, sample_size=8, patch_size=2, cross_attention_dim=48, caption_channels=24, activation_fn='gelu-approximate', norm_type='ada_norm_single', num_embeds_ada_norm=1000, norm_elementwise_affine=False, norm_eps=1e-6, video_length=2),
    'lumina2': diffuser('Lumina2Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([0.1, 0.7]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'encoder_attention_mask': torch.ones(2, 5, dtype=torch.bool)}, sample_size=8, patch_size=2, in_channels=4, hidden_size=48, num_layers=1, num_refiner_layers=1, num_attention_heads=4, num_kv_heads=2, multiple_of=16, axes_dim_rope=(4, 4, 4), axes_lens=(32, 16, 16), cap_feat_dim=24),
    'vaetiny': diffuser('AutoencoderTiny', lambda o: {'sample': noise(o, 'image', 2, 3, 16, 16)}, encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1)),
    'autodc': diffuser('AutoencoderDC', lambda o: {'sample': noise(o, 'image', 1, 3, 16, 16)}, latent_channels=4, attention_head_dim=8, encoder_block_types=('ResBlock', 'EfficientViTBlock'), decoder_block_types=('ResBlock', 'EfficientViTBlock'), encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16, 16), encoder_layers_per_block=(1, 1), decoder_layers_per_block=(1, 1), encoder_qkv_multiscales=((), (5,)), decoder_qkv_multiscales=((), (5,))),
    'xlm': masked('XLMWithLMHeadModel', 'XLMConfig', emb_dim=48, n_layers=2, n_heads=4, dropout=0.0, attention_dropout=0.0, max_position_embeddings=32, **TOK),
    'xlmrxl': masked('XLMRobertaXLForMaskedLM', 'XLMRobertaXLConfig', **ENC, pad_token_id=1),
    'bertgen': masked('BertGenerationDecoder', 'BertGenerationConfig', **ENC, **TOK, is_decoder=True),
    'lilt': regressed('LiltModel', 'LiltConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'bbox': torch.tensor([[[1, 2, 9, 12]] * S, [[3, 1, 20, 9]] * S])}, **ENC, vocab_size=V, pad_token_id=1, max_2d_position_embeddings=32),
    'yoso': masked('YosoForMaskedLM', 'YosoConfig', **ENC, pad_token_id=1, use_expectation=True, use_fast_hash=False),
    'visualbert': regressed('VisualBertModel', 'VisualBertConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'visual_embeds': noise(o, 'visual', 2, 5, 20)}, **ENC, vocab_size=V, visual_embedding_dim=20, pad_token_id=1),
    'mbart': translated('MBartForConditionalGeneration', 'MBartConfig', **SEQ2SEQ),
    'blendersmall': translated('BlenderbotSmallForConditionalGeneration', 'BlenderbotSmallConfig', **SEQ2SEQ),
    'prophetnet': translated('ProphetNetForConditionalGeneration', 'ProphetNetConfig', hidden_size=48, encoder_ffn_dim=64, num_encoder_layers=2, num_encoder_attention_heads=4, decoder_ffn_dim=64, num_decoder_layers=2, num_decoder_attention_heads=4, attention_dropout=0.0, dropout=0.0, activation_dropout=0.0, max_position_embeddings=32, ngram=2, num_buckets=8, relative_max_distance=16, **TOK),
    't5gemma': lambda o: _t5gemma(o),
    'trocr': masked('TrOCRForCausalLM', 'TrOCRConfig', d_model=48, decoder_layers=2, decoder_attention_heads=4, decoder_ffn_dim=64, max_position_embeddings=32, dropout=0.0, **TOK),
    'unispeechsat': regressed('UniSpeechSatForCTC', 'UniSpeechSatConfig', speech(400), **W2V, vocab_size=V),
    'videomae': regressed('VideoMAEForVideoClassification', 'VideoMAEConfig', lambda o: {'pixel_values': noise(o, 'video', 2, 4, 3, 16, 16)}, **VIT, num_frames=4, tubelet_size=2),
    'timesformer': regressed('TimesformerForVideoClassification', 'TimesformerConfig', lambda o: {'pixel_values': noise(o, 'video', 2, 3, 3, 16, 16)}, **VIT, num_frames=3),
    'yolos': regressed('YolosForObjectDetection', 'YolosConfig', image(16), **{**VIT, 'image_size': [16, 16]}, num_detection_tokens=5),
    'vjepa2': regressed('VJEPA2ForVideoClassification', 'VJEPA2Config', lambda o: {'pixel_values_videos': noise(o, 'video', 1, 4, 3, 16, 16)}, patch_size=4, crop_size=16, frames_per_clip=4, hidden_size=48, num_attention_heads=4, num_hidden_layers=2, mlp_ratio=2.0, num_pooler_layers=1, pred_hidden_size=24, pred_num_attention_heads=2, pred_num_hidden_layers=1),
    'mobilenetv2': regressed('MobileNetV2ForImageClassification', 'MobileNetV2Config', image(64, 3), image_size=64, depth_multiplier=0.25, classifier_dropout_prob=0.0),
    'textnet': regressed('TextNetForImageClassification', 'TextNetConfig', image(32, 3), image_size=[32, 32], stem_out_channels=8, hidden_sizes=[8, 8, 12, 16, 16], conv_layer_kernel_sizes=[[[3, 3]], [[3, 3], [1, 3]], [[3, 3]], [[3, 1]]], conv_layer_strides=[[2], [2, 1], [2], [1]]),
    'mobilevitv2': regressed('MobileViTV2ForImageClassification', 'MobileViTV2Config', image(64, 3), image_size=64, width_multiplier=0.25, classifier_dropout_prob=0.0, n_attn_blocks=[1, 1, 1], base_attn_unit_dims=[64, 64, 64]),
    'dinov3convnext': regressed('DINOv3ConvNextModel', 'DINOv3ConvNextConfig', image(32), depths=[1, 1, 1, 1], hidden_sizes=[8, 12, 16, 24], layer_scale_init_value=0.5),
    'crossvit': timm_model('crossvit_tiny_240', 32, img_size=32, img_scale=(1.0, 1.0), patch_size=(8, 16), embed_dim=(24, 48), depth=((1, 1, 0), (1, 1, 0)), num_heads=(2, 4), mlp_ratio=(2, 2, 1)),
    'gmlp': timm_model('gmlp_ti16_224', 32, img_size=32, embed_dim=32, num_blocks=2),
    'resmlp': timm_model('resmlp_12_224', 32, img_size=32, embed_dim=32, num_blocks=2),
    'repvit': timm_model('repvit_m0_9', 64, 3, embed_dim=(8, 16, 24, 32), depth=(1, 1, 1, 1)),
    'ghostnet': timm_model('ghostnet_050', 64, 3),
    'visformer': timm_model('visformer_tiny', 64, img_size=64, embed_dim=48, depth=(1, 1, 1), num_heads=3, init_channels=8),
    'ltx': diffuser('LTXVideoTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 32, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'timestep': torch.tensor([7, 301]), 'encoder_attention_mask': torch.ones(2, 5, dtype=torch.long), 'num_frames': 2, 'height': 4, 'width': 4}, in_channels=8, out_channels=8, num_attention_heads=4, attention_head_dim=12, cross_attention_dim=48, num_layers=2, caption_channels=24),
    'cogview4': diffuser('CogView4Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'timestep': torch.tensor([7, 301]), 'original_size': torch.tensor([[32, 32]] * 2), 'target_size': torch.tensor([[32, 32]] * 2), 'crop_coords': torch.tensor([[0, 0]] * 2)}, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=3, text_embed_dim=24, time_embed_dim=32, condition_dim=16, pos_embed_max_size=8, sample_size=8, rope_axes_dim=(8, 8)),
    'qwenimage': diffuser('QwenImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 16, 16), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'encoder_hidden_states_mask': torch.ones(2, 5, dtype=torch.long), 'timestep': torch.tensor([0.1, 0.7]), 'img_shapes': [[(1, 4, 4)]] * 2}, in_channels=16, out_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=3, joint_attention_dim=24, axes_dims_rope=(4, 6, 6)),
    'flux2': diffuser('Flux2Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4]), 'img_ids': torch.arange(64).reshape(16, 4).float() % 7, 'txt_ids': torch.zeros(5, 4), 'guidance': torch.tensor([3.5])}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=3, joint_attention_dim=24, timestep_guidance_channels=32, axes_dims_rope=(4, 4, 4, 4)),
    'chroma': diffuser('ChromaTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=3, joint_attention_dim=24, axes_dims_rope=(4, 6, 6), approximator_num_channels=16, approximator_hidden_dim=24, approximator_layers=1),
    'prx': diffuser('PRXTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([0.1, 0.7]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, in_channels=4, patch_size=2, context_in_dim=24, hidden_size=48, mlp_ratio=2.0, num_heads=4, depth=2, axes_dim=[6, 6]),
    'stableaudio': diffuser('StableAudioDiTModel', lambda o: {'hidden_states': noise(o, 'wave', 2, 8, 12), 'timestep': torch.tensor([7.0, 301.0]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'global_hidden_states': noise(o, 'global', 2, 1, 16)}, sample_size=12, in_channels=8, out_channels=8, num_layers=2, attention_head_dim=12, num_attention_heads=4, num_key_value_attention_heads=2, cross_attention_dim=24, cross_attention_input_dim=24, time_proj_dim=16, global_states_input_dim=16),
    'hunyuanvideo': diffuser('HunyuanVideoTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 4, 4), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'encoder_attention_mask': torch.ones(1, 5, dtype=torch.long), 'pooled_projections': noise(o, 'pooled', 1, 16), 'guidance': torch.tensor([6.0])}, in_channels=4, out_channels=4, num_attention_heads=3, attention_head_dim=16, num_layers=1, num_single_layers=1, num_refiner_layers=1, mlp_ratio=2.0, text_embed_dim=24, pooled_projection_dim=16, rope_axes_dim=(4, 6, 6)),
    'oobleck': diffuser('AutoencoderOobleck', lambda o: {'sample': noise(o, 'wave', 1, 2, 128)}, encoder_hidden_size=8, downsampling_ratios=[2, 4], channel_multiples=[1, 2], decoder_channels=8, decoder_input_channels=4, audio_channels=2),
    'asymkl': diffuser('AsymmetricAutoencoderKL', lambda o: {'sample': noise(o, 'image', 2, 3, 16, 16)}, down_block_types=('DownEncoderBlock2D',) * 2, down_block_out_channels=(8, 16), layers_per_down_block=1, up_block_types=('UpDecoderBlock2D',) * 2, up_block_out_channels=(8, 16), layers_per_up_block=1, norm_num_groups=4, latent_channels=4),
    'ernie': masked('ErnieForMaskedLM', 'ErnieConfig', **ENC, **TOK),
    'gte': masked('GteForMaskedLM', 'GteConfig', **DIM, **TOK),
    'jina': masked('JinaEmbeddingsV3ForMaskedLM', 'JinaEmbeddingsV3Config', **ENC, pad_token_id=1),
    'esmc': masked('EsmcForMaskedLM', 'EsmcConfig', **DIM, pad_token_id=1),
    'ultrabert': masked('UltrabertForMaskedLM', 'UltrabertConfig', **DIM, **TOK),
    'flaubert': masked('FlaubertWithLMHeadModel', 'FlaubertConfig', emb_dim=48, n_layers=2, n_heads=4, dropout=0.0, attention_dropout=0.0, max_position_embeddings=32, **TOK),
    'rocbert': masked('RoCBertForMaskedLM', 'RoCBertConfig', **ENC, **TOK, pronunciation_embed_dim=8, shape_embed_dim=8, pronunciation_vocab_size=V, shape_vocab_size=V),
    'd2vtext': masked('Data2VecTextForMaskedLM', 'Data2VecTextConfig', **ENC, pad_token_id=1),
    'mvp': translated('MvpForConditionalGeneration', 'MvpConfig', **SEQ2SEQ),
    'pegasus': translated('PegasusForConditionalGeneration', 'PegasusConfig', **SEQ2SEQ),
    'mt5': translated('MT5ForConditionalGeneration', 'MT5Config', d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, relative_attention_num_buckets=8),
    'pvt': regressed('PvtForImageClassification', 'PvtConfig', image(32), image_size=32, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 24], num_attention_heads=[1, 2, 2, 4], drop_path_rate=0.0, mlp_ratios=[2, 2, 2, 2], sequence_reduction_ratios=[4, 2, 2, 1], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0),
    'hgnet': regressed('HGNetV2ForImageClassification', 'HGNetV2Config', image(64, 3), stem_channels=[3, 8, 8], stage_in_channels=[8, 16, 16, 24], stage_mid_channels=[8, 8, 8, 8], stage_out_channels=[16, 16, 24, 24], stage_num_blocks=[1, 1, 1, 1], stage_numb_of_layers=[2, 2, 2, 2], hidden_sizes=[16, 16, 24, 24], depths=[1, 1, 1, 1], embedding_size=8),
    'dinov2reg': regressed('Dinov2WithRegistersForImageClassification', 'Dinov2WithRegistersConfig', image(16), **{k: v for k, v in VIT.items() if k != 'intermediate_size'}, mlp_ratio=2, num_register_tokens=2, layerscale_value=0.5),
    'vitmsn': regressed('ViTMSNForImageClassification', 'ViTMSNConfig', image(16), **VIT),
    'lasr': regressed('LasrForCTC', 'LasrCTCConfig', lambda o: {'input_features': noise(o, 'mel', 2, 40, 16)}, encoder_config=dict(CONFORMER, conv_kernel_size=4), vocab_size=V),
    'parakeet': regressed('ParakeetForCTC', 'ParakeetCTCConfig', lambda o: {'input_features': noise(o, 'mel', 2, 64, 16)}, encoder_config=dict(CONFORMER, conv_kernel_size=5), vocab_size=V),
    'aimv2': regressed('Aimv2VisionModel', 'Aimv2VisionConfig', image(16), hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4),
    'cosmos': diffuser('CosmosTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([0.4]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'padding_mask': torch.zeros(1, 1, 8, 8), 'fps': 24}, in_channels=4, out_channels=4, num_attention_heads=3, attention_head_dim=16, num_layers=2, mlp_ratio=2.0, text_embed_dim=24, adaln_lora_dim=8, max_size=(4, 16, 16), patch_size=(1, 2, 2), extra_pos_embed_type=None),
    })

    def _s2t(o):
        m = configured(o, 'Speech2TextForConditionalGeneration', 'Speech2TextConfig', **{k: v for k, v in SEQ2SEQ.items() if k != 'max_position_embeddings'}, vocab_size=V, max_source_positions=64, max_target_positions=32, num_conv_layers=2, conv_kernel_sizes=(3, 3), conv_channels=24, input_feat_per_channel=12, input_channels=1, decoder_start_token_id=1)
        y = tokens(o, 'labels', s=8)
        return m, {'input_features': noise(o, 'mel', 2, 32, 12), 'decoder_input_ids': torch.cat([torch.ones(2, 1, dtype=torch.long), y[:, :-1]], 1), 'use_cache': False}, lambda out: cross_entropy(o, out.logits, y, o.shift)

    def _moon(o):
        m = configured(o, 'MoonshineForConditionalGeneration', 'MoonshineConfig', vocab_size=V, hidden_size=48, intermediate_size=64, encoder_num_hidden_layers=2, decoder_num_hidden_layers=2, encoder_num_attention_heads=4, decoder_num_attention_heads=4, encoder_num_key_value_heads=4, decoder_num_key_value_heads=4, decoder_start_token_id=1, **TOK)
        y = tokens(o, 'labels', s=8)
        return m, {'input_values': noise(o, 'speech', 2, 3000), 'decoder_input_ids': torch.cat([torch.ones(2, 1, dtype=torch.long), y[:, :-1]], 1), 'use_cache': False}, lambda out: cross_entropy(o, out.logits, y, o.shift)

    def _blip(o):
        t = {**ENC, **TOK, 'vocab_size': V, 'encoder_hidden_size': 48, 'projection_dim': 16, 'is_decoder': True, 'sep_token_id': 2}
        m = configured(o, 'BlipForConditionalGeneration', 'BlipConfig', text_config=t, vision_config={k: v for k, v in VIT.items() if 'dropout' not in k}, projection_dim=16)
        x = tokens(o, 'tokens')
        return m, {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'input_ids': x}, lambda out: cross_entropy(o, out.logits, x, 1 + o.shift)

    def _t5gemma(o):
        part = {**GQA, **TOK, 'vocab_size': V, 'head_dim': 12, 'query_pre_attn_scalar': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'attn_logit_softcapping': 5.0, 'final_logit_softcapping': 8.0}
        m = configured(o, 'T5GemmaForConditionalGeneration', 'T5GemmaConfig', encoder=dict(part), decoder=dict(part), vocab_size=V)
        y = tokens(o, 'labels', s=8)
        return m, {'input_ids': tokens(o, 'tokens'), 'decoder_input_ids': torch.cat([torch.ones(2, 1, dtype=torch.long), y[:, :-1]], 1), 'use_cache': False}, lambda out: cross_entropy(o, out.logits, y, o.shift)
    # the eighth set

    def timm_class(cls, module, size, b=2, **kw):
        def make(o):
            import importlib, timm
            timm.layers.set_fused_attn(o.attn != 'eager')
            return classified(o, getattr(importlib.import_module('timm.models.' + module), cls)(num_classes=10, **kw), size, b)
        return make

    C.update({
    'mistral4': ('Mistral4ForCausalLM', 'Mistral4Config', {**DIM, **TOK, **LATENT, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'first_k_dense_replace': 1}),
    'bailing': ('BailingHybridForCausalLM', 'BailingHybridConfig', {**DIM, **TOK, **LATENT, 'head_dim': 12, 'moe_intermediate_size': 24, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'n_group': 2, 'topk_group': 1, 'first_k_dense_replace': 1, 'layer_types': ['linear_attention', 'full_attention'], 'num_mtp_layers': 0}),
    'deepseek4': ('DeepseekV4ForCausalLM', 'DeepseekV4Config', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'max_position_embeddings': 64, 'head_dim': 16, 'q_lora_rank': 24, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'o_groups': 2, 'o_lora_rank': 12, 'sliding_window': 5, 'hc_mult': 2, 'index_n_heads': 2, 'index_head_dim': 16, 'index_topk': 4, 'num_nextn_predict_layers': 0, 'layer_types': ['sliding_attention', 'sliding_attention'], 'mlp_layer_types': ['moe', 'moe']}),
    'lfm3': ('Lfm3ForCausalLM', 'Lfm3Config', {**GQA, **TOK, 'head_dim': 12, 'sliding_window': 5, 'layer_types': ['conv', 'full_attention']}),
    'dots3': ('Dots3NoteForCausalLM', 'Dots3NoteTextConfig', {**DIM, **TOK, **LATENT, 'head_dim': 12, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'shared_experts_intermediate_size': 24, 'index_topk': 6, 'index_head_dim': 16, 'index_n_heads': 2, 'layer_types': ['full_attention', 'full_attention'], 'mlp_layer_types': ['dense', 'sparse']}),
    'inkling': ('InklingForCausalLM', 'InklingTextConfig', {**GQA, **TOK, 'head_dim': 12, 'swa_num_attention_heads': 4, 'swa_num_key_value_heads': 2, 'swa_head_dim': 12, 'sliding_window_size': 5, 'd_rel': 4, 'rel_extent': 16, 'layer_types': ['sliding_attention', 'full_attention'], 'mlp_layer_types': ['dense', 'sparse'], 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_shared_experts': 1, 'logits_mup_width_multiplier': 2.0}),
    'dbrx': ('DbrxForCausalLM', 'DbrxConfig', dict(d_model=48, n_heads=4, n_layers=2, max_seq_len=32, attn_config={'clip_qkv': 3.0, 'kv_n_heads': 2, 'rope_theta': 10000.0}, ffn_config={'hidden_size': 48, 'ffn_hidden_size': 24, 'moe_num_experts': 4, 'moe_top_k': 2}, bos_token_id=1, eos_token_id=2, pad_token_id=0)),
    'zamba': ('ZambaForCausalLM', 'ZambaConfig', {**DIM, **TOK, 'num_hidden_layers': 4, 'num_key_value_heads': 4, 'attention_hidden_size': 96, 'attention_head_dim': 24, 'n_mamba_heads': 2, 'mamba_d_state': 8, 'mamba_dt_rank': 4, 'use_mamba_kernels': False, 'layers_block_type': ['mamba', 'hybrid', 'mamba', 'hybrid'], 'use_cache': False}),
    'xlstm': ('xLSTMForCausalLM', 'xLSTMConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'num_heads': 4, 'chunk_size': 11, 'mode': 'train', 'use_cache': False, 'ffn_round_up_to_multiple_of': 16}),
    'gemma4': ('Gemma4ForCausalLM', 'Gemma4TextConfig', {**GQA, **TOK, 'head_dim': 12, 'global_head_dim': 12, 'sliding_window': 5, 'layer_types': ['sliding_attention', 'full_attention'], 'vocab_size_per_layer_input': V, 'hidden_size_per_layer_input': 8, 'enable_moe_block': True, 'num_experts': 4, 'top_k_experts': 2, 'moe_intermediate_size': 24}),
    })
    M.update({
    'nystromformer': regressed('NystromformerModel', 'NystromformerConfig', lambda o: {'input_ids': tokens(o, 'tokens', s=12)}, **ENC, vocab_size=V, num_landmarks=4, segment_means_seq_len=12, conv_kernel_size=3, pad_token_id=1),
    'splinter': regressed('SplinterModel', 'SplinterConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **ENC, vocab_size=V),
    'canine': regressed('CanineModel', 'CanineConfig', lambda o: {'input_ids': tokens(o, 'tokens', s=16)}, **ENC, downsampling_rate=4, num_hash_functions=4, num_hash_buckets=64, local_transformer_stride=8),
    'markuplm': regressed('MarkupLMModel', 'MarkupLMConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **ENC, vocab_size=V, xpath_unit_hidden_size=4, max_depth=4, max_xpath_tag_unit_embeddings=220, max_xpath_subs_unit_embeddings=1004),
    'bros': regressed('BrosModel', 'BrosConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'bbox': noise(o, 'box', 2, S, 4).abs()}, **{**ENC, 'hidden_size': 64}, vocab_size=V, dim_bbox=8, bbox_scale=1.0),
    'bigbirdpegasus': translated('BigBirdPegasusForConditionalGeneration', 'BigBirdPegasusConfig', **SEQ2SEQ, attention_type='original_full', use_bias=True),
    'convnext': regressed('ConvNextForImageClassification', 'ConvNextConfig', image(32), depths=[1, 1, 1, 1], hidden_sizes=[8, 12, 16, 24], drop_path_rate=0.0, layer_scale_init_value=0.5),
    'bit': regressed('BitForImageClassification', 'BitConfig', image(32), embedding_size=8, hidden_sizes=[16, 16, 24, 32], depths=[1, 1, 1, 1], num_groups=4),
    'radio': regressed('RadioModel', 'RadioConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2.0, patch_size=4, image_size=16, max_img_size=32, num_cls_tokens=2, num_registers=2, summary_idxs=[0, 1]),
    'pixio': regressed('PixioModel', 'PixioConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, patch_size=4, image_size=16, n_cls_tokens=2),
    'vitdet': regressed('VitDetModel', 'VitDetConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, patch_size=4, image_size=16, pretrain_image_size=16, window_block_indices=[0], residual_block_indices=[1], use_relative_position_embeddings=True, window_size=2),
    'dac': regressed('DacModel', 'DacConfig', lambda o: {'input_values': noise(o, 'speech', 1, 1, 128)}, encoder_hidden_size=8, downsampling_ratios=[2, 4], decoder_hidden_size=16, n_codebooks=2, codebook_size=16, codebook_dim=4),
    'autoformer': regressed('AutoformerModel', 'AutoformerConfig', lambda o: {'past_values': noise(o, 'past', 2, 15), 'past_time_features': noise(o, 'when', 2, 15, 2), 'past_observed_mask': torch.ones(2, 15), 'future_values': noise(o, 'future', 2, 6), 'future_time_features': noise(o, 'later', 2, 6, 2)}, prediction_length=6, context_length=12, lags_sequence=[1, 2, 3], num_time_features=2, d_model=16, label_length=4, moving_average=5, dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0, attention_dropout=0.0, activation_dropout=0.0),
    'informer': regressed('InformerModel', 'InformerConfig', lambda o: {'past_values': noise(o, 'past', 2, 15), 'past_time_features': noise(o, 'when', 2, 15, 2), 'past_observed_mask': torch.ones(2, 15), 'future_values': noise(o, 'future', 2, 6), 'future_time_features': noise(o, 'later', 2, 6, 2)}, prediction_length=6, context_length=12, lags_sequence=[1, 2, 3], num_time_features=2, d_model=16, attention_type='full', distil=False, dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0, attention_dropout=0.0, activation_dropout=0.0),
    'timesfm': regressed('TimesFmModel', 'TimesFmConfig', lambda o: {'past_values': noise(o, 'past', 2, 32), 'past_values_padding': torch.zeros(2, 32), 'freq': torch.zeros(2, 1, dtype=torch.long)}, patch_length=8, context_length=32, horizon_length=8, num_hidden_layers=2, hidden_size=48, intermediate_size=64, head_dim=12, num_attention_heads=4),
    'gcvit': timm_class('GlobalContextVit', 'gcvit', 64, img_size=64, embed_dim=16, depths=(1, 1, 1, 1), num_heads=(2, 2, 4, 4), window_size=(2, 2, 2, 2)),
    'nest': timm_class('Nest', 'nest', 32, img_size=32, num_levels=3, drop_path_rate=0.0, embed_dims=(16, 24, 32), num_heads=(2, 2, 4), depths=(1, 1, 1)),
    'volo': timm_class('VOLO', 'volo', 32, img_size=32, layers=(1, 1, 1, 1), embed_dims=(24, 32, 32, 32), num_heads=(2, 4, 4, 4)),
    'twins': timm_model('twins_svt_small', 32, img_size=32, embed_dims=(16, 16, 24, 32), depths=(1, 1, 1, 1), num_heads=(2, 2, 2, 4), wss=(2, 2, 2, 1)),
    'pit': timm_model('pit_ti_224', 32, img_size=32, base_dims=(8, 8, 8), depth=(1, 1, 1), heads=(2, 4, 8)),
    'mixer': timm_class('MlpMixer', 'mlp_mixer', 32, img_size=32, patch_size=8, embed_dim=32, num_blocks=2),
    'inceptionnext': timm_model('inception_next_atto', 64, depths=(1, 1, 1, 1), dims=(16, 24, 32, 40)),
    'mochi': diffuser('MochiTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301]), 'encoder_attention_mask': torch.ones(1, 5, dtype=torch.bool)}, num_attention_heads=4, attention_head_dim=12, num_layers=2, pooled_projection_dim=16, in_channels=4, text_embed_dim=24, time_embed_dim=8, max_sequence_length=5),
    'cogvideox': diffuser('CogVideoXTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301])}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, time_embed_dim=16, text_embed_dim=24, num_layers=2, sample_width=8, sample_height=8, sample_frames=5, max_text_seq_length=5),
    'zimage': lambda o: _zimage(o),
    'bria': diffuser('BriaTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301.0]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, axes_dims_rope=[4, 6, 6]),
    'cogview3': diffuser('CogView3PlusTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'timestep': torch.tensor([7, 301]), 'original_size': torch.tensor([[32, 32]] * 2), 'target_size': torch.tensor([[32, 32]] * 2), 'crop_coords': torch.tensor([[0, 0]] * 2)}, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=12, num_attention_heads=4, text_embed_dim=24, time_embed_dim=16, condition_dim=8, pos_embed_max_size=8, sample_size=4),
    'easyanimate': diffuser('EasyAnimateTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301.0])}, num_attention_heads=4, attention_head_dim=16, in_channels=4, out_channels=4, patch_size=2, sample_width=8, sample_height=8, num_layers=2, mmdit_layers=1, time_embed_dim=16, text_embed_dim=24),
    'allegro': diffuser('AllegroTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301]), 'attention_mask': torch.ones(1, 2, 8, 8), 'encoder_attention_mask': torch.ones(1, 5)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, num_layers=2, cross_attention_dim=48, sample_height=8, sample_width=8, sample_frames=2, caption_channels=24),
    'nextdit': diffuser('LuminaNextDiT2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 8, 8), 'timestep': torch.tensor([0.4]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'encoder_mask': torch.ones(1, 5, dtype=torch.long), 'image_rotary_emb': torch.polar(torch.ones(8, 8, 6), torch.arange(384.0).reshape(8, 8, 6) % 5), 'cross_attention_kwargs': {}}, sample_size=8, patch_size=2, in_channels=4, hidden_size=48, num_layers=2, num_attention_heads=4, num_kv_heads=2, multiple_of=8, cross_attention_dim=24),
    'uvit': diffuser('UVit2DModel', lambda o: {'input_ids': tokens(o, 'codes', 2, 16, 0, 32).reshape(2, 4, 4), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'pooled_text_emb': noise(o, 'pooled', 2, 16), 'micro_conds': noise(o, 'conds', 2, 5)}, hidden_size=48, hidden_dropout=0.0, cond_embed_dim=16, micro_cond_encode_dim=8, micro_cond_embed_dim=40, encoder_hidden_size=24, vocab_size=34, codebook_size=32, in_channels=24, block_out_channels=24, num_res_blocks=1, block_num_heads=4, num_hidden_layers=2, num_attention_heads=4, attention_dropout=0.0, intermediate_size=64),
    })

    def _zimage(o):
        m, given, loss = diffuser('ZImageTransformer2DModel', lambda o: {'x': [noise(o, 'latent', 4, 1, 8, 8)], 't': torch.tensor([0.4]), 'cap_feats': [noise(o, 'text', 5, 24)]}, in_channels=4, dim=48, n_layers=2, n_refiner_layers=1, n_heads=4, n_kv_heads=4, cap_feat_dim=24, axes_dims=[4, 4, 4], axes_lens=[64, 16, 16])(o)
        return m, given, lambda out: loss((torch.stack(tuple(getattr(out, 'sample', out if isinstance(out, list) else out[0]))),))

    # the ninth set
    C.update({
    'deepseek32': ('DeepseekV32ForCausalLM', 'DeepseekV32Config', {**DIM, **TOK, **LATENT, 'head_dim': 8, 'moe_intermediate_size': 16, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'mlp_layer_types': ['dense', 'sparse'], 'index_topk': 8, 'index_head_dim': 16, 'index_n_heads': 2}),
    })
    M.update({
    'privacyfilter': regressed('OpenAIPrivacyFilterForTokenClassification', 'OpenAIPrivacyFilterConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **GQA, pad_token_id=0, eos_token_id=2, vocab_size=V, head_dim=12, num_local_experts=4, num_experts_per_tok=2, sliding_window=4),
    'step3p7': regressed('Step3p7TextModel', 'Step3p7TextConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **GQA, **TOK, vocab_size=V, head_dim=12, moe_intermediate_size=24, n_routed_experts=4, num_local_experts=4, num_experts_per_tok=2, share_expert_dim=24, sliding_window=5, layer_types=['sliding_attention', 'full_attention'], mlp_layer_types=['dense', 'sparse']),
    'musespark': regressed('MuseSparkTextModel', 'MuseSparkTextConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **GQA, **TOK, vocab_size=V, head_dim=12, moe_intermediate_size=24, moe_hidden_size=24, num_local_experts=4, num_experts_per_tok=2, sliding_window=5, layer_types=['sliding_attention', 'full_attention'], mlp_layer_types=['dense', 'sparse'], layer_rope_theta=[10000.0, 10000.0]),
    'mlcd': regressed('MLCDVisionModel', 'MLCDVisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4),
    'videoprism': regressed('VideoPrismVisionModel', 'VideoPrismVisionConfig', lambda o: {'pixel_values_videos': noise(o, 'video', 1, 2, 3, 16, 16)}, image_size=16, num_frames=2, tubelet_size=[1, 4, 4], hidden_size=48, num_attention_heads=4, intermediate_size=64, num_spatial_layers=1, num_temporal_layers=1, num_auxiliary_layers=1),
    'embgemma2': regressed('EmbeddingGemma2TextModel', 'EmbeddingGemma2TextConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, **GQA, **TOK, vocab_size=V, head_dim=12, sliding_window=4, layer_types=['sliding_attention', 'full_attention'], hidden_size_per_layer_input=8, embedding_dim=32),
    'dpt': regressed('DPTModel', 'DPTConfig', image(16), **VIT, backbone_out_indices=[0, 1], neck_hidden_sizes=[8, 8], fusion_hidden_size=8),
    'swin': regressed('SwinForImageClassification', 'SwinConfig', image(16), image_size=16, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, drop_path_rate=0.0),
    })

    # the tenth set
    ids = lambda o: {'input_ids': tokens(o, 'tokens')}
    C.update({
    'gptj': ('GPTJForCausalLM', 'GPTJConfig', {**GPT, 'rotary_dim': 6}),
    'inkling2': ('Inkling2ForCausalLM', 'Inkling2TextConfig', {**PLAIN, **TOK, 'head_dim': 12, 'unpadded_vocab_size': V, 'swa_num_attention_heads': 4, 'swa_num_key_value_heads': 2, 'swa_head_dim': 12, 'sliding_window_size': 5, 'd_rel': 4, 'rel_extent': 16, 'layer_types': ['sliding_attention', 'full_attention'], 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_layers_per_attn_res_block': 1, 'use_cache': False}),
    'cohcompass': ('CohereCompassForCausalLM', 'CohereCompassTextConfig', {**GQA, **TOK, 'logit_scale': 0.25, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'use_cache': False, 'rope_parameters': {'sliding_attention': {'rope_type': 'default', 'rope_theta': 10000.0}, 'full_attention': {'rope_type': 'default', 'rope_theta': 10000.0}}}),
    })
    M.update({
    'mistrallarge4': regressed('MistralLarge4TextModel', 'MistralLarge4TextConfig', ids, **DIM, **TOK, vocab_size=V, **{k: v for k, v in LATENT.items() if k != 'q_lora_rank'}, head_dim=8, moe_intermediate_size=16, n_routed_experts=4, num_experts_per_tok=2, mlp_layer_types=['dense', 'sparse'], index_topk=8, index_head_dim=16, index_n_heads=2),
    'glm5next': regressed('Glm5NextTextModel', 'Glm5NextTextConfig', ids, **DIM, **TOK, vocab_size=V, num_key_value_heads=4, q_lora_rank=24, kv_lora_rank=16, qk_rope_head_dim=0, qk_nope_head_dim=12, v_head_dim=12, moe_intermediate_size=16, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, mlp_layer_types=['dense', 'sparse'], layer_types=['linear_attention', 'full_attention'], index_topk=8, index_head_dim=16, index_n_heads=2, linear_head_dim=12, linear_num_heads=4, hc_mult=2, index_kpool=4),
    'museglimmer': regressed('MuseGlimmerTextModel', 'MuseGlimmerTextConfig', ids, **GQA, **TOK, vocab_size=V, head_dim=12, sliding_window=5, layer_types=['sliding_attention', 'full_attention'], layer_rope_theta=[10000.0, 10000.0]),
    'qwen3vlmoe': regressed('Qwen3VLMoeTextModel', 'Qwen3VLMoeTextConfig', ids, **GQA, **PICKS, vocab_size=V, head_dim=16, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [4, 2, 2]}),
    'glm4vmoe': regressed('Glm4vMoeTextModel', 'Glm4vMoeTextConfig', ids, **GQA, **TOK, vocab_size=V, moe_intermediate_size=24, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, n_group=1, topk_group=1, first_k_dense_replace=1, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'partial_rotary_factor': 0.5, 'mrope_section': [1, 1, 1]}),
    'diffgemma': regressed('DiffusionGemmaEncoderTextModel', 'DiffusionGemmaTextConfig', ids, **GQA, **TOK, vocab_size=V, head_dim=12, sliding_window=5, layer_types=['sliding_attention', 'full_attention'], num_experts=4, top_k_experts=2, moe_intermediate_size=24),
    'docling': regressed('GraniteDoclingTextModel', 'GraniteDoclingTextConfig', ids, **GQA, **TOK, vocab_size=V, embedding_multiplier=6.0, residual_multiplier=0.3, attention_multiplier=0.1),
    'cpmant': regressed('CpmAntModel', 'CpmAntConfig', ids, vocab_size=V, hidden_size=48, num_attention_heads=4, dim_head=12, dim_ff=64, num_hidden_layers=2, position_bias_num_buckets=16, position_bias_max_distance=64, prompt_types=4, prompt_length=4, segment_types=4, use_cache=False),
    'tstransformer': regressed('TimeSeriesTransformerModel', 'TimeSeriesTransformerConfig', lambda o: {'past_values': noise(o, 'past', 2, 15), 'past_time_features': noise(o, 'when', 2, 15, 2), 'past_observed_mask': torch.ones(2, 15), 'future_values': noise(o, 'future', 2, 6), 'future_time_features': noise(o, 'later', 2, 6, 2)}, prediction_length=6, context_length=12, lags_sequence=[1, 2, 3], num_time_features=2, d_model=16, dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0, attention_dropout=0.0, activation_dropout=0.0),
    'layoutlmv3': regressed('LayoutLMv3Model', 'LayoutLMv3Config', lambda o: {'input_ids': tokens(o, 'tokens'), 'bbox': torch.from_numpy(draw('box', o.seed).integers(0, 30, (2, S, 4))).sort(-1).values}, **ENC, vocab_size=V, pad_token_id=1, max_2d_position_embeddings=32, coordinate_size=8, shape_size=8, rel_pos_bins=8, max_rel_pos=16, rel_2d_pos_bins=8, max_rel_2d_pos=32, visual_embed=False),
    'tapas': masked('TapasForMaskedLM', 'TapasConfig', **ENC, type_vocab_sizes=[3, 8, 8, 2, 8, 8, 4], pad_token_id=0, reset_position_index_per_cell=False),
    'luke': masked('LukeForMaskedLM', 'LukeConfig', **ENC, entity_vocab_size=10, entity_emb_size=24, use_entity_aware_attention=False, pad_token_id=1),
    'bliptext': regressed('BlipTextModel', 'BlipTextConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'encoder_hidden_states': noise(o, 'seen', 2, 6, 48), 'is_decoder': True, 'use_cache': False}, **ENC, vocab_size=V, encoder_hidden_size=48),
    'chineseclip': regressed('ChineseCLIPVisionModel', 'ChineseCLIPVisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4),
    'd2vvision': regressed('Data2VecVisionForImageClassification', 'Data2VecVisionConfig', image(16), **VIT, use_relative_position_bias=True, drop_path_rate=0.0, layer_scale_init_value=0.5),
    'resnet': regressed('ResNetForImageClassification', 'ResNetConfig', image(32), embedding_size=8, hidden_sizes=[12, 16, 24, 32], depths=[1, 1, 1, 1], layer_type='bottleneck'),
    'siglip2': regressed('Siglip2VisionModel', 'Siglip2VisionConfig', lambda o: {'pixel_values': noise(o, 'patches', 2, 16, 48), 'pixel_attention_mask': torch.ones(2, 16, dtype=torch.long), 'spatial_shapes': torch.tensor([[4, 4], [4, 4]])}, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, patch_size=4, num_patches=16),
    'coat': timm_class('CoaT', 'coat', 32, img_size=32, patch_size=4, embed_dims=(16, 24, 32, 32), serial_depths=(1, 1, 1, 1), parallel_depth=0, num_heads=8, mlp_ratios=(2, 2, 2, 2)),
    'convmixer': timm_class('ConvMixer', 'convmixer', 32, 3, dim=24, depth=2, kernel_size=5, patch_size=4),
    'relposvit': timm_class('VisionTransformerRelPos', 'vision_transformer_relpos', 16, img_size=16, patch_size=4, embed_dim=48, depth=2, num_heads=4, rel_pos_type='bias', init_values=0.5),
    'lowformer': timm_class('LowFormer', 'lowformer', 64, 3, width_list=[8, 16, 16, 24, 32], depth_list=[0, 1, 1, 1, 1], head_widths=(48, 48)),
    'efformerv2': timm_class('EfficientFormerV2', 'efficientformer_v2', 64, 3, img_size=64, depths=(1, 1, 1, 2), embed_dims=(8, 16, 24, 32), mlp_ratios=(2, 2, 2, 2), num_vit=1, layer_scale_init_value=0.5, distillation=False),
    'flux': diffuser('FluxTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'pooled_projections': noise(o, 'pooled', 1, 16), 'timestep': torch.tensor([0.4]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, pooled_projection_dim=16, axes_dims_rope=(4, 6, 6)),
    'ovisimage': diffuser('OvisImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, out_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, axes_dims_rope=(4, 6, 6)),
    'ernieimage': diffuser('ErnieImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 8, 4, 4), 'timestep': torch.tensor([301.0]), 'text_bth': noise(o, 'text', 1, 5, 24), 'text_lens': torch.tensor([5])}, hidden_size=48, num_attention_heads=3, num_layers=2, ffn_hidden_size=64, in_channels=8, out_channels=8, text_in_dim=24, rope_axes_dim=(4, 6, 6)),
    'krea2': diffuser('Krea2Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 2, 24), 'timestep': torch.tensor([0.4]), 'position_ids': torch.arange(63).reshape(21, 3).float() % 7}, in_channels=8, num_layers=2, attention_head_dim=16, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64, timestep_embed_dim=16, text_hidden_dim=24, num_text_layers=2, text_num_attention_heads=2, text_num_key_value_heads=2, text_intermediate_size=32, num_layerwise_text_blocks=1, num_refiner_text_blocks=1, axes_dims_rope=(4, 6, 6)),
    })

    # recorded for practice before the eleventh
    def timm_metaformer():
        def make(o):
            import timm
            from timm.models import metaformer as f
            timm.layers.set_fused_attn(o.attn != 'eager')
            return classified(o, f.MetaFormer(num_classes=10, depths=(1, 1, 1, 1), dims=(16, 16, 32, 32), token_mixers=[f.SepConv, f.SepConv, f.Attention, f.Attention], norm_layers=[f.LayerNorm2dNoBias] * 2 + [f.LayerNormNoBias] * 2), 64)
        return make

    MROPE = {'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [4, 2, 2]}
    C.update({
    'emu3': ('Emu3ForCausalLM', 'Emu3TextConfig', {**GQA, **TOK, 'attention_dropout': 0.0}),
    })
    M.update({
    'qwen25vl': regressed('Qwen2_5_VLTextModel', 'Qwen2_5_VLTextConfig', ids, **GQA, vocab_size=V, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'qwen3omni': regressed('Qwen3OmniMoeThinkerTextModel', 'Qwen3OmniMoeTextConfig', ids, **GQA, **PICKS, head_dim=16, vocab_size=V, rope_parameters=MROPE),
    'cliptext': regressed('CLIPTextModel', 'CLIPTextConfig', ids, **GQA, **TOK, vocab_size=V),
    'cvt': regressed('CvtForImageClassification', 'CvtConfig', image(32), embed_dim=[16, 24, 32], num_heads=[1, 2, 2], depth=[1, 2, 3], mlp_ratio=[2.0, 2.0, 2.0], drop_path_rate=[0.0, 0.0, 0.0], cls_token=[False, False, True]),
    'wav2vec2': regressed('Wav2Vec2ForCTC', 'Wav2Vec2Config', speech(400), **W2V, vocab_size=V),
    'mra': masked('MraForMaskedLM', 'MraConfig', **ENC, pad_token_id=1),
    'reformer': regressed('ReformerModelWithLMHead', 'ReformerConfig', lambda o: {'input_ids': tokens(o, 'tokens', s=16)}, attention_head_size=12, attn_layers=['local', 'local'], axial_pos_embds=True, axial_pos_shape=[4, 4], axial_pos_embds_dim=[16, 32], feed_forward_size=64, hidden_size=48, num_attention_heads=4, hidden_dropout_prob=0.0, local_attention_probs_dropout_prob=0.0, local_attn_chunk_length=4, lsh_attn_chunk_length=4, max_position_embeddings=16, vocab_size=V, is_decoder=True, use_cache=False),
    'samvision': regressed('SamVisionModel', 'SamVisionConfig', image(32), hidden_size=48, output_channels=16, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=4, mlp_ratio=2.0, window_size=3, global_attn_indexes=[1], num_pos_feats=8),
    'pixtral': regressed('PixtralVisionModel', 'PixtralVisionConfig', lambda o: {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'image_sizes': torch.tensor([[16, 16], [16, 12]])}, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4),
    'bark': regressed('BarkCausalModel', 'BarkSemanticConfig', ids, block_size=32, input_vocab_size=V, output_vocab_size=V, num_layers=2, num_heads=4, hidden_size=48, use_cache=False),
    'whisper': regressed('WhisperModel', 'WhisperConfig', lambda o: {'input_features': noise(o, 'speech', 2, 16, 32), 'decoder_input_ids': tokens(o, 'tokens', s=8), 'use_cache': False}, **{k: v for k, v in SEQ2SEQ.items() if k != 'max_position_embeddings'}, vocab_size=V, num_mel_bins=16, max_source_positions=16, max_target_positions=32, decoder_start_token_id=1),
    'musicgen': regressed('MusicgenForCausalLM', 'MusicgenDecoderConfig', lambda o: {'input_ids': tokens(o, 'codes', b=8, s=10), 'use_cache': False}, vocab_size=V, max_position_embeddings=32, num_hidden_layers=2, ffn_dim=64, num_attention_heads=4, hidden_size=48, dropout=0.0, pad_token_id=V, bos_token_id=V),
    'mgpstr': regressed('MgpstrModel', 'MgpstrConfig', image(16), image_size=[16, 16], patch_size=4, max_token_length=5, num_character_labels=8, num_bpe_labels=12, num_wordpiece_labels=10, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2.0),
    'caformer': timm_metaformer(),
    'fastvit': timm_model('fastvit_sa12', 64, 3, layers=(1, 1, 1, 1), embed_dims=(16, 16, 32, 32), mlp_ratios=(2, 2, 2, 2)),
    'fasternet': timm_class('FasterNet', 'fasternet', 64, 3, embed_dim=16, depths=(1, 1, 1, 1), feature_dim=48, drop_path_rate=0.0),
    'swincr': timm_class('SwinTransformerV2Cr', 'swin_transformer_v2_cr', 32, img_size=(32, 32), patch_size=2, window_size=4, embed_dim=16, depths=(1, 1, 1, 1), num_heads=(2, 2, 2, 2), mlp_ratio=2.0, init_values=None),
    'hunyuandit': diffuser('HunyuanDiT2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7.0, 301.0]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'text_embedding_mask': torch.ones(2, 5), 'encoder_hidden_states_t5': noise(o, 'text5', 2, 6, 32), 'text_embedding_mask_t5': torch.ones(2, 6), 'image_meta_size': torch.ones(2, 6) * 8, 'style': torch.zeros(2, dtype=torch.long), 'image_rotary_emb': (torch.cos(torch.arange(192.0)).reshape(16, 12), torch.sin(torch.arange(192.0)).reshape(16, 12))}, num_attention_heads=4, attention_head_dim=12, in_channels=4, patch_size=2, sample_size=8, hidden_size=48, num_layers=2, mlp_ratio=2.0, cross_attention_dim=24, cross_attention_dim_t5=32, pooled_projection_dim=16, text_len=5, text_len_t5=6),
    'wanvace': diffuser('WanVACETransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'control_hidden_states': noise(o, 'control', 1, 6, 2, 8, 8)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=64, num_layers=2, rope_max_seq_len=16, vace_layers=[0], vace_in_channels=6),
    'hidream': diffuser('HiDreamImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 8, 8), 'timesteps': torch.tensor([301]), 'encoder_hidden_states_t5': noise(o, 'text', 1, 5, 24), 'encoder_hidden_states_llama3': noise(o, 'text3', 2, 1, 6, 20), 'pooled_embeds': noise(o, 'pooled', 1, 16)}, patch_size=2, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, caption_channels=[24, 20], text_emb_dim=16, axes_dims_rope=(4, 6, 6), max_resolution=(8, 8), llama_layers=[0, 1], force_inference_output=True),
    'kandinsky5': diffuser('Kandinsky5Transformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 1, 8, 8, 4), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301.0]), 'pooled_projections': noise(o, 'pooled', 1, 16), 'visual_rope_pos': [torch.arange(1), torch.arange(4), torch.arange(4)], 'text_rope_pos': torch.arange(5)}, in_text_dim=24, in_text_dim2=16, time_dim=16, model_dim=48, ff_dim=64, num_text_blocks=1, num_visual_blocks=1, axes_dims=(4, 4, 8)),
    })

    # the eleventh set
    C.update({
    'phi': ('PhiForCausalLM', 'PhiConfig', {**GQA, **TOK, 'partial_rotary_factor': 0.5, 'qk_layernorm': True}),
    'moshi': ('MoshiForCausalLM', 'MoshiConfig', {'hidden_size': 48, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'num_key_value_heads': 2, 'head_dim': 12, 'max_position_embeddings': 64, 'sliding_window': 6, 'ffn_dim': 64, **TOK}),
    'qwen4exp': ('Qwen4ExpForCausalLM', 'Qwen4ExpTextConfig', {**PLAIN, **PICKS, **TOK, 'head_dim': 16, 'shared_expert_intermediate_size': 24, 'linear_num_value_heads': 4, 'linear_num_key_heads': 2, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8, 'layer_types': ['linear_attention', 'full_attention'], 'hc_count': 2, 'hc_lowrank': 8, 'ple_layer_ids': [], 'indexer_n_heads': 2, 'indexer_kv_heads': 1, 'indexer_head_dim': 16, 'indexer_budget': 8, 'indexer_compress_ratio': 2}),
    'mllama': ('MllamaForCausalLM', 'MllamaTextConfig', {**GQA, **TOK, 'cross_attention_layers': [], 'rope_parameters': {'rope_type': 'default', 'rope_theta': 10000.0}}),
    })
    M.update({
    'csmdepth': regressed('CsmDepthDecoderModel', 'CsmDepthDecoderConfig', lambda o: {'input_ids': tokens(o, 'codes', s=10, low=0, high=8), 'backbone_last_hidden_state': noise(o, 'seen', 2, 24)}, **GQA, **TOK, vocab_size=8, backbone_hidden_size=24, num_codebooks=12),
    'ernievlmoe': regressed('Ernie4_5_VLMoeTextModel', 'Ernie4_5_VLMoeTextConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'moe_mm_token_type_ids': (torch.arange(S)[None].expand(2, -1) > 7).int()}, **GQA, **TOK, vocab_size=V, moe_intermediate_size=[24, 16], moe_k=2, moe_num_experts=4, moe_num_shared_experts=1, mlp_layer_types=['dense', 'sparse'], rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'hyv4vl': regressed('HYV4VLTextModel', 'HYV4VLTextConfig', ids, **DIM, **TOK, vocab_size=V, **LATENT, head_dim=8, moe_intermediate_size=16, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, mlp_layer_types=['dense', 'sparse'], index_topk=8, index_head_dim=16, index_n_heads=2, hc_mult=2, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 1, 1]}),
    'glm4v': regressed('Glm4vTextModel', 'Glm4vTextConfig', ids, **GQA, vocab_size=V, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'partial_rotary_factor': 0.5, 'mrope_section': [1, 1, 1]}),
    'molmo2': regressed('Molmo2TextModel', 'Molmo2TextConfig', ids, **GQA, vocab_size=V, additional_vocab_size=8, head_dim=12),
    'altclip': regressed('AltCLIPTextModel', 'AltCLIPTextConfig', ids, **ENC, vocab_size=V, project_dim=24, pad_token_id=1),
    'vilt': regressed('ViltModel', 'ViltConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'pixel_mask': torch.ones(2, 16, 16, dtype=torch.long)}, vocab_size=V, **VIT, max_position_embeddings=32),
    'lxmert': regressed('LxmertModel', 'LxmertConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'visual_feats': noise(o, 'seen', 2, 6, 24), 'visual_pos': noise(o, 'boxes', 2, 6, 4)}, **{k: v for k, v in ENC.items() if k != 'num_hidden_layers'}, vocab_size=V, l_layers=1, x_layers=1, r_layers=1, visual_feat_dim=24),
    'flavatext': regressed('FlavaTextModel', 'FlavaTextConfig', ids, **ENC, vocab_size=V),
    'internvl': regressed('InternVLVisionModel', 'InternVLVisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=[16, 16], patch_size=[4, 4], use_qk_norm=True, norm_type='layer_norm'),
    'groupvit': regressed('GroupViTTextModel', 'GroupViTTextConfig', ids, **DIM, **TOK, vocab_size=V),
    'univnet': regressed('UnivNetModel', 'UnivNetConfig', lambda o: {'input_features': noise(o, 'mel', 1, 12, 8), 'noise_sequence': noise(o, 'noise', 1, 12, 8)}, model_in_channels=8, model_hidden_channels=8, num_mel_bins=8, resblock_kernel_sizes=[3], resblock_stride_sizes=[4], resblock_dilation_sizes=[[1, 3]], kernel_predictor_num_blocks=1, kernel_predictor_hidden_channels=8),
    'vovnet': timm_class('VovNet', 'vovnet', 64, 3, cfg=dict(stem_chs=[8, 8, 8], stage_conv_chs=[8, 8, 8, 8], stage_out_chs=[16, 16, 24, 24], layer_per_block=2, block_per_stage=[1, 1, 1, 1], residual=True, depthwise=False, attn='ese')),
    'rexnet': timm_class('RexNet', 'rexnet', 64, 3, initial_chs=8, final_chs=24, depth_mult=0.5, drop_rate=0.0),
    'shvit': timm_class('SHViT', 'shvit', 128, 3, embed_dim=(16, 24, 32), partial_dim=(8, 8, 12), depth=(1, 1, 1), types=('i', 's', 's')),
    'rdnet': timm_class('RDNet', 'rdnet', 64, 3, growth_rates=(8, 8, 8), num_blocks_list=(1, 1, 1), block_type=('Block', 'Block', 'BlockESE'), is_downsample_block=(None, True, True), num_init_features=16, ls_init_value=0.5),
    'acestep': diffuser('AceStepTransformer1DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 8, 6), 'timestep': torch.tensor([0.4]), 'timestep_r': torch.tensor([0.2]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 48), 'context_latents': noise(o, 'context', 1, 8, 12)}, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=12, in_channels=18, audio_acoustic_hidden_dim=6, patch_size=2, sliding_window=2),
    'longcatimage': diffuser('LongCatImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, pooled_projection_dim=24, axes_dims_rope=[4, 6, 6]),
    'nucleusmoe': diffuser('NucleusMoEImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 16), 'img_shapes': [(1, 4, 4)], 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4])}, patch_size=2, in_channels=16, out_channels=4, num_layers=4, attention_head_dim=16, num_attention_heads=6, num_key_value_heads=3, joint_attention_dim=24, axes_dims_rope=(4, 6, 6), mlp_ratio=4.0, dense_moe_strategy='leave_first_three_blocks_dense', num_experts=4, moe_intermediate_dim=24, capacity_factors=2.0),
    'sanavideo': diffuser('SanaVideoTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=12, num_attention_heads=4, num_cross_attention_heads=4, cross_attention_head_dim=12, cross_attention_dim=48, caption_channels=24, sample_size=8, rope_max_seq_len=16),
    'qwenimage21': diffuser('QwenImage21Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.4]), 'img_shapes': [[(1, 4, 4)]], 'img_mask': torch.arange(9)[None] > 4}, in_channels=8, out_channels=8, num_layers=2, attention_head_dim=16, num_attention_heads=3, context_in_dim=24, mlp_ratio=2, axes_dims_rope=(4, 6, 6)),
    })

    # recorded for practice before the twelfth
    def _mvitv2(o):
        from timm.models.mvitv2 import MultiScaleVitCfg
        return timm_class('MultiScaleVit', 'mvitv2', 32, img_size=(32, 32), cfg=MultiScaleVitCfg(depths=(1, 1), embed_dim=(16, 32), num_heads=(2, 4), stride_q=((1, 1), (2, 2))))(o)

    def _nfnet(o):
        from timm.models.nfnet import NfCfg
        return timm_class('NormFreeNet', 'nfnet', 64, 3, cfg=NfCfg(depths=(1, 1, 1, 1), channels=(16, 16, 24, 32), stem_type='3x3', stem_chs=8, group_size=8, num_features=48))(o)

    UNET = dict(down_block_types=('CrossAttnDownBlock3D', 'DownBlock3D'), up_block_types=('UpBlock3D', 'CrossAttnUpBlock3D'))
    C.update({
    'ariatext': ('AriaTextForCausalLM', 'AriaTextConfig', {**GQA, **TOK, 'intermediate_size': 24, 'moe_num_experts': 4, 'moe_topk': 2, 'moe_num_shared_experts': 1}),
    'ernie45': ('Ernie4_5ForCausalLM', 'Ernie4_5Config', {**GQA, **TOK, 'head_dim': 12}),
    'qwen2moe': ('Qwen2MoeForCausalLM', 'Qwen2MoeConfig', {**GQA, **TOK, **PICKS, 'shared_expert_intermediate_size': 24}),
    })
    M.update({
    'qwen25omni': regressed('Qwen2_5OmniThinkerTextModel', 'Qwen2_5OmniTextConfig', ids, **GQA, vocab_size=V, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'qwen2vl': regressed('Qwen2VLTextModel', 'Qwen2VLTextConfig', ids, **GQA, vocab_size=V, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'glmimagetext': regressed('GlmImageTextModel', 'GlmImageTextConfig', ids, **GQA, vocab_size=V, pad_token_id=0, eos_token_id=2, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'aligntext': regressed('AlignTextModel', 'AlignTextConfig', ids, **ENC, vocab_size=V),
    'smolvlmv': regressed('SmolVLMVisionTransformer', 'SmolVLMVisionConfig', lambda o: {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'patch_attention_mask': torch.ones(2, 4, 4, dtype=torch.bool)}, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4),
    'xclipv': regressed('XCLIPVisionModel', 'XCLIPVisionConfig', image(16, 4), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4, mit_hidden_size=24, mit_intermediate_size=32, mit_num_attention_heads=4, num_frames=2),
    'sapiens2': regressed('Sapiens2Model', 'Sapiens2Config', image(16), hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4, num_register_tokens=2, layerscale_value=0.5, num_key_value_attention_heads=2, num_first_full_attention_layers=1, num_last_full_attention_layers=1),
    'qwen2audio': regressed('Qwen2AudioEncoder', 'Qwen2AudioEncoderConfig', lambda o: {'input_features': noise(o, 'mel', 2, 12, 32)}, num_mel_bins=12, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=64, d_model=48, max_source_positions=16),
    'deepseekocr2': regressed('DeepseekOcr2TextModel', 'DeepseekOcr2TextConfig', ids, **DIM, **TOK, vocab_size=V, moe_intermediate_size=16, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, n_group=1, topk_group=1, mlp_layer_types=['dense', 'sparse']),
    'mvitv2': lambda o: _mvitv2(o),
    'nfnet': lambda o: _nfnet(o),
    'timmpvt2': timm_class('PyramidVisionTransformerV2', 'pvt_v2', 32, depths=(1, 1, 1, 1), embed_dims=(8, 16, 24, 32), num_heads=(1, 2, 3, 4), mlp_ratios=(2, 2, 2, 2), linear=True),
    'res2net': timm_model('res2net50_14w_8s', 64, 3, layers=(1, 1, 1, 1), channels=(16, 16, 24, 32), stem_width=8, base_width=64),
    'beit3': timm_class('Beit', 'beit', 16, img_size=16, patch_size=4, embed_dim=48, depth=2, num_heads=4, use_rel_pos_bias=True, use_abs_pos_emb=False, init_values=0.5),
    'glmimagedit': diffuser('GlmImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'prior_token_id': tokens(o, 'prior', 1, 16, 0, 16), 'prior_token_drop': torch.zeros(1, dtype=torch.bool), 'timestep': torch.tensor([301]), 'target_size': torch.tensor([[32, 32]]), 'crop_coords': torch.tensor([[0, 0]])}, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=3, text_embed_dim=24, time_embed_dim=16, condition_dim=8, prior_vq_quantizer_codebook_size=16),
    'unet3d': diffuser('UNet3DConditionModel', lambda o: {'sample': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, sample_size=8, **UNET, block_out_channels=(16, 24), layers_per_block=1, norm_num_groups=4, cross_attention_dim=24, attention_head_dim=8),
    'transformer2d': diffuser('Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 16, 8, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, num_attention_heads=4, attention_head_dim=12, in_channels=16, num_layers=2, norm_num_groups=4, cross_attention_dim=24),
    })

    C.update({
    'gptoss': ('GptOssForCausalLM', 'GptOssConfig', {**GQA, **TOK, 'head_dim': 12, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'sliding_window': 5, 'layer_types': ['sliding_attention', 'full_attention']}),
    'mixtral': ('MixtralForCausalLM', 'MixtralConfig', {**GQA, **TOK, 'intermediate_size': 24, 'num_local_experts': 4, 'num_experts_per_tok': 2}),
    'deepseek3': ('DeepseekV3ForCausalLM', 'DeepseekV3Config', {**DIM, **TOK, **LATENT, 'moe_intermediate_size': 16, 'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'n_group': 2, 'topk_group': 1, 'first_k_dense_replace': 1}),
    'bloom': ('BloomForCausalLM', 'BloomConfig', {**TOK, 'hidden_size': 48, 'n_layer': 2, 'n_head': 4}),
    })
    M.update({
    'janusv': regressed('JanusVisionModel', 'JanusVisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2.0, image_size=16, patch_size=4, projection_dim=32),
    'glmasr': regressed('GlmAsrEncoder', 'GlmAsrEncoderConfig', lambda o: {'input_features': noise(o, 'mel', 2, 12, 32)}, num_mel_bins=12, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_size=48, max_position_embeddings=16),
    'dinov2': regressed('Dinov2Model', 'Dinov2Config', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, image_size=16, patch_size=4, layerscale_value=0.5, use_swiglu_ffn=True),
    'timmlevit': timm_class('Levit', 'levit', 64, 3, img_size=64, embed_dim=(16, 24, 32), key_dim=8, depth=(1, 1, 1), num_heads=(2, 3, 4)),
    'timmfocal': timm_class('FocalNet', 'focalnet', 64, 3, embed_dim=16, depths=(1, 1, 1, 1), focal_levels=(2, 2, 2, 2), drop_path_rate=0.0, layerscale_value=0.5, use_post_norm=True, use_post_norm_in_modulation=True, normalize_modulator=True),
    'timmswift': timm_class('SwiftFormer', 'swiftformer', 64, 3, layers=[1, 1, 1, 1], embed_dims=[8, 16, 24, 32], layer_scale_init_value=0.5),
    'chronoedit': diffuser('ChronoEditTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=64, num_layers=2, rope_max_seq_len=16),
    'wanvae': diffuser('AutoencoderKLWan', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16)}, base_dim=8, z_dim=4, dim_mult=[1, 2], num_res_blocks=1, temperal_downsample=[False], latents_mean=[0.0] * 4, latents_std=[1.0] * 4),
    })

    # the twelfth set
    C.update({
    'inkling2loop': ('Inkling2LoopForCausalLM', 'Inkling2LoopTextConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 3, 'num_attention_heads': 4, 'num_key_value_heads': 2, 'head_dim': 12, 'swa_num_attention_heads': 4, 'swa_num_key_value_heads': 2, 'swa_head_dim': 12, 'sliding_window_size': 5, 'd_rel': 4, 'rel_extent': 16, 'layer_types': ['sliding_attention', 'full_attention', 'full_attention'], 'max_position_embeddings': 64, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'loop_layer_index_start': 1, 'loop_layer_index_end': 2, 'loop_num_passes': 2, 'loop_gate_rank': 8, 'n_layers_per_attn_res_block': 1, 'unpadded_vocab_size': V}),
    'gemma4u': ('Gemma4UnifiedForCausalLM', 'Gemma4UnifiedTextConfig', {**GQA, **TOK, 'head_dim': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    })
    M.update({
    'unlimitedocr': regressed('UnlimitedOcrTextModel', 'UnlimitedOcrTextConfig', ids, **DIM, **TOK, vocab_size=V, num_key_value_heads=4, moe_intermediate_size=16, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2, mlp_layer_types=['dense', 'sparse'], sliding_window=5),
    'hunyuanvl': regressed('HunYuanVLTextModel', 'HunYuanVLTextConfig', ids, **GQA, **TOK, vocab_size=V, head_dim=16, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2, 2]}),
    'glmocr': regressed('GlmOcrTextModel', 'GlmOcrTextConfig', ids, **GQA, vocab_size=V, pad_token_id=0, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'paddleocr': regressed('PaddleOCRTextModel', 'PaddleOCRTextConfig', ids, **GQA, **TOK, vocab_size=V, head_dim=12, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [2, 2, 2]}),
    'qwen3vl': regressed('Qwen3VLTextModel', 'Qwen3VLTextConfig', ids, **GQA, vocab_size=V, head_dim=16, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [4, 2, 2]}),
    'metaclip2': regressed('MetaClip2TextModel', 'MetaClip2TextConfig', ids, **DIM, **TOK, vocab_size=V),
    'owlvitv': regressed('OwlViTVisionModel', 'OwlViTVisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4),
    'tipsv2': regressed('Tipsv2VisionModel', 'Tipsv2VisionConfig', image(16), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, image_size=16, patch_size=4, num_register_tokens=2, layerscale_value=0.5),
    'granspeech': regressed('GraniteSpeechCTCEncoder', 'GraniteSpeechEncoderConfig', lambda o: {'hidden_states': noise(o, 'mel', 2, 20, 16)}, input_dim=16, num_layers=2, hidden_dim=48, feedforward_mult=2, num_heads=4, dim_head=12, output_dim=12, context_size=8, max_pos_emb=16, dropout=0.0, conv_kernel_size=5),
    'voxtral': regressed('VoxtralEncoder', 'VoxtralEncoderConfig', lambda o: {'input_features': noise(o, 'mel', 2, 12, 32)}, num_mel_bins=12, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_size=48, max_source_positions=16),
    'effvitmsra': timm_class('EfficientVitMsra', 'efficientvit_msra', 64, 3, img_size=64, embed_dim=(16, 32, 48), key_dim=(8, 8, 8), depth=(1, 1, 1), num_heads=(2, 2, 3), window_size=(3, 3, 3)),
    'effvitmit': timm_class('EfficientVit', 'efficientvit_mit', 64, 3, widths=(8, 16, 16, 24, 32), depths=(1, 1, 1, 1, 1), head_dim=8, head_widths=(48, 48)),
    'timmhiera': timm_class('Hiera', 'hiera', 32, img_size=(32, 32), embed_dim=16, num_heads=1, stages=(1, 1, 1), q_pool=2, mask_unit_size=(4, 4), mask_unit_attn=(True, False, False), mlp_ratio=2.0),
    'dla': timm_model('dla46_c', 64, 3, channels=(8, 8, 16, 16, 24, 24)),
    'dpn': timm_class('DPN', 'dpn', 64, 3, k_sec=(1, 1, 1, 1), inc_sec=(4, 4, 4, 8), k_r=8, groups=4, num_init_features=8, small=True),
    'hunyuanimage': diffuser('HunyuanImageTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 4, 4), 'timestep': torch.tensor([301.0]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'encoder_attention_mask': torch.ones(1, 5, dtype=torch.long)}, in_channels=4, out_channels=4, num_attention_heads=3, attention_head_dim=16, num_layers=1, num_single_layers=1, num_refiner_layers=1, mlp_ratio=2.0, text_embed_dim=24, rope_axes_dim=(8, 8)),
    'motifvideo': diffuser('MotifVideoTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 4, 4), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'encoder_attention_mask': torch.ones(1, 5, dtype=torch.long)}, in_channels=4, out_channels=4, num_attention_heads=3, attention_head_dim=16, num_layers=1, num_single_layers=1, mlp_ratio=2.0, text_embed_dim=24, rope_axes_dim=(4, 6, 6)),
    'briafibo': diffuser('BriaFiboTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'text_encoder_layers': [noise(o, 'layer0', 1, 5, 16), noise(o, 'layer1', 1, 5, 16)], 'timestep': torch.tensor([301.0]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3)}, in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, axes_dims_rope=[4, 6, 6], text_encoder_dim=16),
    })

    # the thirteenth set
    class HandAttention(nn.Module):                       # as repositories write it: one product for queries, keys and values, cut along the last axis
        def __init__(self, d, heads, causal, o):
            super().__init__()
            self.c_attn, self.c_proj, self.heads, self.causal, self.flash = nn.Linear(d, 3 * d), nn.Linear(d, d), heads, causal, o.attn != 'eager'
            self.register_buffer('bias', torch.tril(torch.ones(32, 32)).view(1, 1, 32, 32), persistent=False)

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.c_attn(x).split(c, dim=2))
            if self.flash:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
            else:
                a = (q @ k.transpose(-2, -1)) * (k.size(-1) ** -0.5)
                if self.causal:
                    a = a.masked_fill(self.bias[:, :, :t, :t] == 0, float('-inf'))
                y = F.softmax(a, dim=-1) @ v
            return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))

    class HandGpt(nn.Module):
        def __init__(self, o, d=48, heads=4):
            super().__init__()
            self.wte, self.wpe, self.ln_f = nn.Embedding(V, d), nn.Embedding(32, d), nn.LayerNorm(d)
            self.h = nn.ModuleList(nn.ModuleDict(dict(ln_1=nn.LayerNorm(d), attn=HandAttention(d, heads, True, o), ln_2=nn.LayerNorm(d), c_fc=nn.Linear(d, 2 * d), act=nn.GELU(), c_proj=nn.Linear(2 * d, d))) for _ in range(2))

        def forward(self, idx):
            x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
            for h in self.h:
                x = x + h['attn'](h['ln_1'](x))
                x = x + h['c_proj'](h['act'](h['c_fc'](h['ln_2'](x))))
            return self.ln_f(x) @ self.wte.weight.t()

    class HandDit(nn.Module):
        def __init__(self, o, d=48, heads=4):
            super().__init__()
            self.x_embedder, self.t1, self.t2 = nn.Conv2d(4, d, 2, 2), nn.Linear(16, d), nn.Linear(d, d)
            self.blocks = nn.ModuleList(nn.ModuleDict(dict(norm1=nn.LayerNorm(d, elementwise_affine=False, eps=1e-6), attn=HandAttention(d, heads, False, o), norm2=nn.LayerNorm(d, elementwise_affine=False, eps=1e-6), fc1=nn.Linear(d, 2 * d), fc2=nn.Linear(2 * d, d), ada=nn.Linear(d, 6 * d))) for _ in range(2))
            self.last, self.final = nn.LayerNorm(d, elementwise_affine=False, eps=1e-6), nn.Linear(d, 16)

        def forward(self, x, t):
            f = t[:, None].float() * torch.exp(-9.21 * torch.arange(8) / 8)[None]
            c = self.t2(F.silu(self.t1(torch.cat([torch.cos(f), torch.sin(f)], -1).to(x.dtype))))
            x = self.x_embedder(x).flatten(2).transpose(1, 2)
            for m in self.blocks:
                s1, a1, g1, s2, a2, g2 = m['ada'](F.silu(c)).chunk(6, dim=1)
                x = x + g1.unsqueeze(1) * m['attn'](m['norm1'](x) * (1 + a1.unsqueeze(1)) + s1.unsqueeze(1))
                x = x + g2.unsqueeze(1) * m['fc2'](F.gelu(m['fc1'](m['norm2'](x) * (1 + a2.unsqueeze(1)) + s2.unsqueeze(1)), approximate='tanh'))
            y = self.final(self.last(x))
            return torch.einsum('nhwpqc->nchpwq', y.reshape(y.shape[0], 4, 4, 2, 2, 4)).reshape(y.shape[0], 4, 8, 8)

    class HandLstm(nn.Module):
        def __init__(self, o, d=48):
            super().__init__()
            self.embed, self.cells, self.norm, self.out, self.d = nn.Embedding(V, d), nn.ModuleList(nn.Linear(2 * d, 4 * d) for _ in range(2)), nn.LayerNorm(d), nn.Linear(d, V), d

        def forward(self, idx):
            x = self.embed(idx)
            for cell in self.cells:
                h, c, all_h = x.new_zeros(x.shape[0], self.d), x.new_zeros(x.shape[0], self.d), []
                for t in range(x.shape[1]):
                    i, f, g, u = cell(torch.cat([x[:, t], h], -1)).chunk(4, -1)
                    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                    h = torch.sigmoid(u) * torch.tanh(c)
                    all_h.append(h)
                x = torch.stack(all_h, 1) + x
            return self.out(self.norm(x))

    class HandUnet(nn.Module):
        def __init__(self, o, c=8):
            super().__init__()
            two = lambda i, k: nn.Sequential(nn.Conv2d(i, k, 3, padding=1), nn.BatchNorm2d(k), nn.ReLU(inplace=True), nn.Conv2d(k, k, 3, padding=1), nn.BatchNorm2d(k), nn.ReLU(inplace=True))
            self.inc, self.down1, self.down2, self.up1, self.c1, self.up2, self.c2, self.outc = two(3, c), two(c, 2 * c), two(2 * c, 4 * c), nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), two(4 * c, 2 * c), nn.ConvTranspose2d(2 * c, c, 2, 2), two(2 * c, c), nn.Conv2d(c, 4, 1)

        def forward(self, x):
            a = self.inc(x)
            b = self.down1(F.max_pool2d(a, 2))
            y = self.c1(torch.cat([b, self.up1(self.down2(F.max_pool2d(b, 2)))], 1))
            return self.outc(self.c2(torch.cat([a, self.up2(y)], 1)))

    class HandMoe(nn.Module):                             # experts of a transformer's block in a loop, picked by softmax and index_add
        def __init__(self, o, d=48, heads=4, experts=4):
            super().__init__()
            self.embed, self.attn, self.n1, self.n2, self.gate, self.out = nn.Embedding(V, d), HandAttention(d, heads, True, o), nn.RMSNorm(d), nn.RMSNorm(d), nn.Linear(d, experts, False), nn.Linear(d, V, False)
            self.batched = o.experts == 'batched_mm'
            self.experts = nn.ModuleList(nn.ModuleDict(dict(w1=nn.Linear(d, 32, False), w2=nn.Linear(32, d, False), w3=nn.Linear(d, 32, False))) for _ in range(experts))

        def forward(self, idx):
            x = self.embed(idx)
            x = x + self.attn(self.n1(x))
            y = self.n2(x).reshape(-1, x.shape[-1])
            w, pick = torch.topk(F.softmax(self.gate(y), -1, dtype=torch.float), 2, -1)
            w = (w / w.sum(-1, keepdim=True)).to(y.dtype)
            z = torch.zeros_like(y)
            if self.batched:                              # the weights of every pick beside each other
                w1, w2, w3 = (torch.stack([e[k].weight for e in self.experts])[pick.reshape(-1)] for k in ('w1', 'w2', 'w3'))
                h = y.repeat_interleave(2, 0).unsqueeze(-1)
                h = torch.bmm(w2, F.silu(torch.bmm(w1, h)) * torch.bmm(w3, h)).view(-1, 2, y.shape[-1])
                return self.out(x + (h * w.unsqueeze(-1)).sum(1).view_as(x))
            for i, e in enumerate(self.experts):
                token, nth = torch.where(pick == i)
                h = e['w2'](F.silu(e['w1'](y[token])) * e['w3'](y[token]))
                z.index_add_(0, token, (h * w[token, nth, None]).to(z.dtype))
            return self.out(x + z.view_as(x))

    def hand(cls, kind, image=0):
        def make(o):
            x = tokens(o, 'tokens')
            if kind == 'tokens':
                return cls(o), {'idx': x}, lambda out: cross_entropy(o, out, x, 1 + o.shift)
            return cls(o), {'x': noise(o, 'image', 2, image, 8, 8), **({'t': torch.tensor([7, 301])} if image == 4 else {})}, lambda out: hidden(o, out)
        return make

    C.update({
    'mamba': ('MambaForCausalLM', 'MambaConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'state_size': 8, 'time_step_rank': 4, 'use_cache': False}),
    })
    M.update({
    'handgpt': hand(HandGpt, 'tokens'),
    'handmoe': hand(HandMoe, 'tokens'),
    'handlstm': hand(HandLstm, 'tokens'),
    'handdit': hand(HandDit, 'image', 4),
    'handunet': hand(HandUnet, 'image', 3),
    'cosmos3edge': regressed('Cosmos3EdgeTextModel', 'Cosmos3EdgeTextConfig', ids, **GQA, vocab_size=V, head_dim=16, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0, 'mrope_section': [4, 2, 2]}),
    'granite4v': regressed('Granite4VisionTextModel', 'Granite4VisionTextConfig', ids, **GQA, vocab_size=V, embedding_multiplier=6.0, residual_multiplier=0.3, attention_multiplier=0.1),
    'voxtralrt': regressed('voxtral_realtime.VoxtralRealtimeTextModel', 'VoxtralRealtimeTextConfig', lambda o: {'inputs_embeds': noise(o, 'embeds', 2, S, 48), 't_cond': noise(o, 'delay', 2, 1, 48)}, **GQA, vocab_size=V, head_dim=12, sliding_window=5),
    'kosmos2': masked('kosmos2.Kosmos2TextForCausalLM', 'Kosmos2TextConfig', embed_dim=48, layers=2, ffn_dim=64, attention_heads=4, max_position_embeddings=32, dropout=0.0, attention_dropout=0.0),
    'ovis2v': regressed('ovis2.Ovis2VisionModel', 'Ovis2VisionConfig', image(16), hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4, vocab_size=24, num_visual_indicator_tokens=2, qkv_bias=True),
    'idefics2v': regressed('idefics2.Idefics2VisionTransformer', 'Idefics2VisionConfig', lambda o: {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'patch_attention_mask': torch.ones(2, 4, 4, dtype=torch.bool)}, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4),
    'blip2v': regressed('Blip2VisionModel', 'Blip2VisionConfig', image(16), hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4),
    'owlv2t': regressed('Owlv2TextModel', 'Owlv2TextConfig', ids, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=16, vocab_size=V, eos_token_id=2, bos_token_id=1),
    'clipsegv': regressed('CLIPSegVisionModel', 'CLIPSegVisionConfig', image(16), hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4),
    'moonstream': regressed('moonshine_streaming.MoonshineStreamingEncoder', 'MoonshineStreamingEncoderConfig', lambda o: {'input_values': noise(o, 'speech', 2, 1600)}, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, head_dim=12, sliding_windows=[[4, 2], [4, 0]]),
    'donut': regressed('DonutSwinForImageClassification', 'DonutSwinConfig', image(16), image_size=16, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, drop_path_rate=0.0),
    'neomme': masked('NeoMMEForMaskedLM', 'NeoMMEConfig', **GQA, embedding_rank=16, head_dim=16, layer_types=['sliding_attention', 'full_attention']),
    'qianfanv': regressed('QianfanOCRVisionModel', 'QianfanOCRVisionConfig', image(16), hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=[16, 16], patch_size=[4, 4], use_qk_norm=True, layer_scale_init_value=0.5, drop_path_rate=0.0),
    'pplcnet': regressed('PPLCNetForImageClassification', 'PPLCNetConfig', image(32, 3), block_configs=[[[3, 8, 16, 1, False]], [[3, 16, 16, 2, False]], [[3, 16, 24, 2, False]], [[3, 24, 24, 1, False]], [[5, 24, 32, 2, True]]], stem_channels=8, class_expand=32, hidden_dropout_prob=0.0, scale=1.0, divisor=4),
    'vgg': timm_class('VGG', 'vgg', 64, 3, cfg=[8, 'M', 16, 'M', 16, 16, 'M'], norm_layer=nn.BatchNorm2d, drop_rate=0.0, mlp_ratio=0.02),
    'resnest': timm_model('resnest14d', 64, 3, layers=(1, 1, 1, 1), channels=(16, 16, 24, 32), stem_width=8, base_width=64),
    'mobilenetv3': timm_model('mobilenetv3_small_050', 64, 3),
    'efficientvim': timm_class('EfficientViM', 'efficientvim', 64, 3, embed_dim=(16, 24, 32), depths=(1, 1, 1), state_dim=(9, 7, 5)),
    'vitsam': timm_class('VisionTransformerSAM', 'vision_transformer_sam', 32, img_size=32, patch_size=4, embed_dim=48, depth=2, num_heads=4, neck_chans=16, window_size=3, global_attn_indexes=(1,), use_rel_pos=True),
    'repghost': timm_model('repghostnet_050', 64, 3),
    'anyflow': diffuser('AnyFlowTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 2, 4, 8, 8), 'timestep': torch.tensor([[301, 301]]), 'r_timestep': torch.tensor([[101, 101]]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=64, num_layers=2, rope_max_seq_len=16),
    'joyimage': diffuser('JoyImageEditTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 1, 8, 8), 'timestep': torch.tensor([301.0]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, in_channels=4, out_channels=4, hidden_size=48, num_attention_heads=3, text_dim=24, mlp_width_ratio=2.0, num_layers=2, rope_dim_list=[4, 6, 6]),
    'skyreels2': diffuser('SkyReelsV2Transformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=64, num_layers=2, rope_max_seq_len=16),
    'temporaldec': diffuser('AutoencoderKLTemporalDecoder', lambda o: {'sample': noise(o, 'video', 2, 3, 16, 16), 'num_frames': 2}, down_block_types=('DownEncoderBlock2D',) * 2, block_out_channels=(32, 32), layers_per_block=1, latent_channels=4),
    'ltxvae': diffuser('AutoencoderKLLTXVideo', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 32, 32)}, latent_channels=8, block_out_channels=(8, 16), down_block_types=('LTXVideoDownBlock3D',) * 2, decoder_block_out_channels=(8, 16), layers_per_block=(1, 1, 1), decoder_layers_per_block=(1, 1, 1), spatio_temporal_scaling=(True, False), decoder_spatio_temporal_scaling=(True, False), decoder_inject_noise=(False, False, False), downsample_type=('conv', 'conv'), upsample_residual=(False, False), upsample_factor=(1, 1)),
    })

    class HandGru(nn.Module):
        """a recurrence of gates written out, two layers, with additive attention over the states"""
        def __init__(self, o):
            super().__init__()
            self.embed = nn.Embedding(V, 48)
            self.gates = nn.ModuleList([nn.Linear(96, 96) for _ in range(2)])
            self.cand = nn.ModuleList([nn.Linear(96, 48) for _ in range(2)])
            self.q, self.k, self.v = nn.Linear(48, 24), nn.Linear(48, 24), nn.Linear(24, 1, bias=False)
            self.out = nn.Linear(96, V)
        def forward(self, idx):
            x = self.embed(idx)
            for g, c in zip(self.gates, self.cand):
                h, seq = torch.zeros_like(x[:, 0]), []
                for t in range(x.shape[1]):
                    z, r = torch.sigmoid(g(torch.cat([x[:, t], h], -1))).chunk(2, -1)
                    n = torch.tanh(c(torch.cat([x[:, t], r * h], -1)))
                    h = (1 - z) * n + z * h
                    seq.append(h)
                x = torch.stack(seq, 1)
            s = self.v(torch.tanh(self.q(x).unsqueeze(2) + self.k(x).unsqueeze(1))).squeeze(-1)
            n = x.shape[1]
            s = s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float('-inf'))
            return self.out(torch.cat([x, torch.einsum('bij,bjd->bid', s.softmax(-1), x)], -1))
    class HandSsm(nn.Module):
        """diagonal state space layers: a convolution over time, a scan, a gate"""
        def __init__(self, o):
            super().__init__()
            self.split = o.attn != 'eager'
            self.embed = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(norm=nn.LayerNorm(48), inp=nn.Linear(48, 192), conv=nn.Conv1d(96, 96, 3, padding=2, groups=96), bc=nn.Linear(96, 20), out=nn.Linear(96, 48))) for _ in range(2)])
            self.decay = nn.ParameterList([nn.Parameter(torch.zeros(96)) for _ in range(2)])
            self.out = nn.Linear(48, V)
        def forward(self, idx):
            x = self.embed(idx)
            for l, d in zip(self.layers, self.decay):
                u, g = l['inp'](l['norm'](x)).chunk(2, -1)
                u = F.silu(l['conv'](u.transpose(1, 2))[..., :idx.shape[1]].transpose(1, 2))
                b, c, dt = l['bc'](u).split([8, 8, 4], -1)
                dt = F.softplus(dt.mean(-1, keepdim=True) + d)
                a = torch.exp(-dt)
                h, ys = u.new_zeros(u.shape[0], 96, 8), []
                for t in range(u.shape[1]):
                    h = a[:, t, :, None] * h + (dt[:, t] * u[:, t])[..., None] * b[:, t, None, :]
                    ys.append((h * c[:, t, None, :]).sum(-1) if not self.split else torch.matmul(h, c[:, t, :, None]).squeeze(-1))
                x = x + l['out'](torch.stack(ys, 1) * F.silu(g))
            return self.out(x)
    class HandVit(nn.Module):
        """patches with a class token, attention by einsum or in one call, layer scale"""
        def __init__(self, o):
            super().__init__()
            self.sdpa = o.attn != 'eager'
            self.patch = nn.Conv2d(3, 48, 2, 2)
            self.token, self.pos = nn.Parameter(torch.zeros(1, 1, 48)), nn.Parameter(torch.zeros(1, 17, 48))
            self.layers = nn.ModuleList([nn.ModuleDict(dict(n1=nn.LayerNorm(48), qkv=nn.Linear(48, 144), proj=nn.Linear(48, 48), n2=nn.LayerNorm(48), up=nn.Linear(48, 96), down=nn.Linear(96, 48))) for _ in range(2)])
            self.scales = nn.ParameterList([nn.Parameter(torch.full((48,), 0.5)) for _ in range(4)])
            self.head = nn.Linear(48, 10)
        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.pos
            for i, l in enumerate(self.layers):
                q, k, v = l['qkv'](l['n1'](x)).reshape(x.shape[0], -1, 3, 4, 12).unbind(2)
                if self.sdpa:
                    y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2)
                else:
                    y = torch.einsum('bhij,bjhd->bihd', (torch.einsum('bihd,bjhd->bhij', q, k) * 12 ** -0.5).softmax(-1), v)
                x = x + self.scales[2 * i] * l['proj'](y.flatten(2))
                x = x + self.scales[2 * i + 1] * l['down'](F.gelu(l['up'](l['n2'](x))))
            return self.head(x[:, 0])

    class HandLlama(nn.Module):
        """rotation by complex numbers, grouped queries repeated by index, a gate of two products; the head is the table"""
        def __init__(self, o):
            super().__init__()
            self.sdpa = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(q=nn.Linear(48, 48, bias=False), k=nn.Linear(48, 24, bias=False), v=nn.Linear(48, 24, bias=False), o=nn.Linear(48, 48, bias=False), w1=nn.Linear(48, 80, bias=False), w2=nn.Linear(80, 48, bias=False), w3=nn.Linear(48, 80, bias=False))) for _ in range(2)])
            self.norms = nn.ParameterList([nn.Parameter(torch.ones(48)) for _ in range(5)])

        def norm(self, x, i):
            return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.norms[i]

        def forward(self, idx):
            b, s = idx.shape
            x, turn = self.table(idx), torch.polar(torch.ones(s, 6), torch.outer(torch.arange(s).float(), 10000.0 ** (-torch.arange(6).float() / 6)))
            mask = torch.full((s, s), float('-inf')).triu(1)
            rotate = lambda z: torch.view_as_real(torch.view_as_complex(z.float().reshape(*z.shape[:-1], 6, 2)) * turn[None, :, None]).flatten(3).type_as(z)
            for i, l in enumerate(self.layers):
                h = self.norm(x, 2 * i)
                q, k, v = rotate(l['q'](h).view(b, s, 4, 12)), rotate(l['k'](h).view(b, s, 2, 12)), l['v'](h).view(b, s, 2, 12)
                k, v = (z[:, :, :, None].expand(b, s, 2, 2, 12).reshape(b, s, 4, 12) for z in (k, v))
                q, k, v = (z.transpose(1, 2) for z in (q, k, v))
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True) if self.sdpa else torch.softmax((torch.matmul(q, k.transpose(2, 3)) / 12 ** 0.5 + mask.to(q.dtype)).float(), -1).type_as(q) @ v
                x = x + l['o'](y.transpose(1, 2).reshape(b, s, 48))
                h = self.norm(x, 2 * i + 1)
                x = x + l['w2'](F.silu(l['w1'](h)) * l['w3'](h))
            return F.linear(self.norm(x, 4), self.table.weight)

    class HandRetention(nn.Module):
        """retention: products with decays in place of a softmax, groups normed, or the same state by state"""
        def __init__(self, o):
            super().__init__()
            self.steps = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(n=nn.LayerNorm(48), qkvg=nn.Linear(48, 192), gn=nn.GroupNorm(4, 48), o=nn.Linear(48, 48))) for _ in range(2)])
            self.out = nn.Linear(48, V)

        def forward(self, idx):
            b, s = idx.shape
            x, gamma = self.table(idx), 1 - 2.0 ** (-2 - torch.arange(4).float())
            t = torch.arange(s)
            decay = torch.where(t[:, None] >= t, gamma[:, None, None] ** (t[:, None] - t).clamp(min=0), 0.0)
            for l in self.layers:
                q, k, v, g = l['qkvg'](l['n'](x)).view(b, s, 4, 4, 12).permute(2, 0, 3, 1, 4)
                if self.steps:
                    state, ys = 0, []
                    for i in range(s):
                        state = gamma[:, None, None].to(x.dtype) * state + k[:, :, i, :, None] * v[:, :, i, None]
                        ys.append(torch.einsum('bhd,bhde->bhe', q[:, :, i], state))
                    y = torch.stack(ys, 2)
                else:
                    y = (q @ k.transpose(-1, -2) * decay.to(q.dtype)) @ v
                y = l['gn'](y.transpose(1, 2).reshape(b * s, 48)).view(b, s, 48)
                x = x + l['o'](y * F.silu(g.transpose(1, 2).reshape(b, s, 48)))
            return self.out(x)

    class HandGraph(nn.Module):
        """messages along edges, summed by index or by a product with a matrix of zeros and ones; edges' weights by a softmax of leaky scores"""
        def __init__(self, o):
            super().__init__()
            self.dense = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(w=nn.Linear(48, 48, bias=False), a=nn.Linear(96, 1), m=nn.Linear(96, 48), n=nn.BatchNorm1d(48))) for _ in range(2)])
            self.out = nn.Linear(48, V)

        def forward(self, idx):
            b, s = idx.shape
            x = self.table(idx.reshape(-1))
            n = x.shape[0]
            to = torch.arange(n).repeat_interleave(3)
            fro = (to * 7 + torch.arange(3).repeat(n) * 5 + 1) % n
            for l in self.layers:
                h = l['w'](x)
                e = torch.exp(F.leaky_relu(l['a'](torch.cat([h[to], h[fro]], -1)).float(), 0.2).clamp(max=8.0))
                if self.dense:
                    hot = F.one_hot(to, n).to(h.dtype)
                    y = hot.t() @ (e.to(h.dtype) * h[fro]) / (hot.t() @ e.to(h.dtype))
                else:
                    total = torch.zeros(n, 1).index_add(0, to, e)
                    y = torch.zeros_like(h).index_add(0, to, (e / total[to]).to(h.dtype) * h[fro])
                x = x + F.elu(l['n'](l['m'](torch.cat([h, y.to(h.dtype)], -1))))
            return self.out(x).view(b, s, V)

    class HandVae(nn.Module):
        """convolutions to a mean and a width, a draw of fixed noise, transposed convolutions back; weights normed by hand"""
        def __init__(self, o):
            super().__init__()
            self.down = nn.ModuleList([nn.Conv2d(3, 16, 3, 2, 1), nn.Conv2d(16, 32, 3, 2, 1)])
            self.norms = nn.ModuleList([nn.GroupNorm(4, 16), nn.InstanceNorm2d(32, affine=True), nn.GroupNorm(4, 16)])
            self.mean, self.width = nn.Linear(128, 12), nn.Linear(128, 12)
            self.back = nn.Linear(12, 128)
            self.up = nn.ModuleList([nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ConvTranspose2d(16, 3, 4, 2, 1)])

        def forward(self, x):
            h = F.leaky_relu(self.norms[0](self.down[0](x)), 0.1)
            h = F.mish(self.norms[1](self.down[1](h))).flatten(1)
            m, w = self.mean(h), self.width(h).clamp(-4, 4)
            z = m + torch.exp(0.5 * w) * torch.linspace(-1.5, 1.5, m.numel()).view_as(m).to(m.dtype)
            kl = -0.5 * (1 + w - m.pow(2) - w.exp()).sum(-1, keepdim=True)
            y = F.hardswish(self.norms[2](self.up[0](F.softplus(self.back(z)).view(-1, 32, 2, 2))))
            return torch.tanh(self.up[1](y)) + 1e-2 * kl[..., None, None]

    # practice before the fourteenth set
    VITS = dict(hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    M.update({
    'clvp': regressed('clvp.ClvpEncoder', 'ClvpEncoderConfig', ids, **{**VITS, 'hidden_size': 128}, vocab_size=V, bos_token_id=1, projection_dim=24, attention_dropout=0.0, dropout=0.0),
    'gotocrv': regressed('got_ocr2.GotOcr2VisionEncoder', 'GotOcr2VisionConfig', image(16), hidden_size=48, output_channels=16, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4, mlp_dim=64, window_size=3, global_attn_indexes=[1]),
    'seggpt': regressed('SegGptModel', 'SegGptConfig', lambda o: {'pixel_values': noise(o, 'image', 1, 3, 16, 16), 'prompt_pixel_values': noise(o, 'prompt', 1, 3, 16, 16), 'prompt_masks': noise(o, 'mask', 1, 3, 16, 16)}, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, image_size=[32, 16], patch_size=4, mlp_dim=64, drop_path_rate=0.0, pretrain_image_size=16, decoder_hidden_size=8, merge_index=0, intermediate_hidden_state_indices=[0, 1]),
    'pix2structv': regressed('Pix2StructVisionModel', 'Pix2StructVisionConfig', lambda o: {'flattened_patches': torch.cat([torch.arange(1.0, 13.0).reshape(1, 12, 1).expand(2, -1, -1) // 4 + 1, torch.arange(1.0, 13.0).reshape(1, 12, 1).expand(2, -1, -1) % 4 + 1, noise(o, 'patches', 2, 12, 46)], -1)}, hidden_size=48, patch_embed_hidden_size=46, d_ff=64, d_kv=12, num_hidden_layers=2, num_attention_heads=4, seq_len=32),
    'pop2piano': translated('Pop2PianoForConditionalGeneration', 'Pop2PianoConfig', d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, relative_attention_num_buckets=8),
    'timesfm25': regressed('TimesFm2_5Model', 'TimesFm2_5Config', lambda o: {'past_values': noise(o, 'past', 2, 32)}, patch_length=8, context_length=32, horizon_length=8, num_hidden_layers=2, hidden_size=48, intermediate_size=64, head_dim=12, num_attention_heads=4, num_key_value_heads=4),
    'idefics3v': regressed('idefics3.Idefics3VisionTransformer', 'Idefics3VisionConfig', lambda o: {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'patch_attention_mask': torch.ones(2, 4, 4, dtype=torch.bool)}, **VITS, image_size=16, patch_size=4),
    'mimit': regressed('mimi.MimiTransformerModel', 'MimiConfig', lambda o: {'hidden_states': noise(o, 'states', 2, S, 48), 'use_cache': False}, **VITS, num_key_value_heads=2, head_dim=12, sliding_window=5, upsample_groups=8, upsampling_ratios=[4, 2], num_filters=4, layer_scale_initial_scale=0.5),
    'bridgetowert': regressed('bridgetower.BridgeTowerTextModel', 'BridgeTowerTextConfig', ids, **ENC, vocab_size=V),
    'git': lambda o: _git(o),
    'speecht5': regressed('speecht5.SpeechT5EncoderWithSpeechPrenet', 'SpeechT5Config', speech(400), vocab_size=V, hidden_size=48, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=64, encoder_layerdrop=0.0, positional_dropout=0.0, hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, conv_dim=(16, 16), conv_stride=(4, 4), conv_kernel=(8, 4), num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, mask_time_prob=0.0),
    'timmvit': timm_class('VisionTransformer', 'vision_transformer', 32, img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=4, global_pool='avg', qk_norm=True),
    'sknet': timm_model('skresnet18', 64, 3, channels=(16, 16, 24, 32), stem_width=8, base_width=64),
    'unetspt': diffuser('UNetSpatioTemporalConditionModel', lambda o: {'sample': noise(o, 'latent', 1, 2, 8, 8, 8), 'timestep': torch.tensor([301.0]), 'encoder_hidden_states': noise(o, 'text', 1, 1, 24), 'added_time_ids': noise(o, 'ids', 1, 3)}, sample_size=8, in_channels=8, out_channels=4, block_out_channels=(32, 32), down_block_types=('CrossAttnDownBlockSpatioTemporal', 'DownBlockSpatioTemporal'), up_block_types=('UpBlockSpatioTemporal', 'CrossAttnUpBlockSpatioTemporal'), addition_time_embed_dim=8, projection_class_embeddings_input_dim=24, layers_per_block=1, cross_attention_dim=24, transformer_layers_per_block=1, num_attention_heads=(2, 2), num_frames=2),
    'cascade': diffuser('StableCascadeUNet', lambda o: {'sample': noise(o, 'latent', 2, 4, 8, 8), 'timestep_ratio': torch.tensor([0.3, 0.7]), 'clip_text_pooled': noise(o, 'pooled', 2, 1, 24)}, in_channels=4, out_channels=4, timestep_ratio_embedding_dim=8, patch_size=1, conditioning_dim=16, block_out_channels=(16, 24), num_attention_heads=(2, 2), down_num_layers_per_block=(1, 1), up_num_layers_per_block=(1, 1), down_blocks_repeat_mappers=(1, 1), up_blocks_repeat_mappers=(1, 1), block_types_per_layer=(('SDCascadeResBlock', 'SDCascadeTimestepBlock', 'SDCascadeAttnBlock'),) * 2, clip_text_pooled_in_channels=24, clip_seq=2, self_attn=True, dropout=(0.0, 0.0)),
    't2iadapter': diffuser('T2IAdapter', lambda o: {'x': noise(o, 'cond', 2, 3, 64, 64)}, channels=[8, 16], num_res_blocks=1, downscale_factor=8, adapter_type='light_adapter'),
    'consisid': diffuser('ConsisIDTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([301])}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, time_embed_dim=16, text_embed_dim=24, num_layers=2, sample_width=8, sample_height=8, sample_frames=5, max_text_seq_length=5, is_train_face=False),
    'cogvae': diffuser('AutoencoderKLCogVideoX', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16)}, block_out_channels=(8, 8), down_block_types=('CogVideoXDownBlock3D',) * 2, up_block_types=('CogVideoXUpBlock3D',) * 2, layers_per_block=1, latent_channels=4, norm_num_groups=4, temporal_compression_ratio=2),
    'handgru': hand(HandGru, 'tokens'),
    'handssm': hand(HandSsm, 'tokens'),
    'handvit': hand(HandVit, 'image', 3),
    })

    def _git(o):
        m = configured(o, 'GitForCausalLM', 'GitConfig', **ENC, vocab_size=V, vision_config=dict(**VITS, image_size=16, patch_size=8), bos_token_id=1, eos_token_id=2, pad_token_id=0)
        x = tokens(o, 'tokens')
        return m, {'input_ids': x, 'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'use_cache': False}, lambda out: cross_entropy(o, out.logits[:, -S:], x, 1 + o.shift)

    # the fourteenth set
    M.update({
    'handllama': hand(HandLlama, 'tokens'),
    'handretention': hand(HandRetention, 'tokens'),
    'handgraph': hand(HandGraph, 'tokens'),
    'handvae': hand(HandVae, 'image', 3),
    'qformer': regressed('instructblip.InstructBlipQFormerModel', 'InstructBlipQFormerConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'query_embeds': noise(o, 'queries', 2, 4, 48), 'encoder_hidden_states': noise(o, 'image', 2, 6, 24)}, **ENC, vocab_size=V, encoder_hidden_size=24),
    'samhqv': regressed('SamHQVisionModel', 'SamHQVisionConfig', image(16), hidden_size=48, output_channels=16, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4, mlp_dim=64, window_size=3, global_attn_indexes=[1]),
    'canarydec': regressed('canary.CanaryDecoder', 'CanaryDecoderConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'encoder_hidden_states': noise(o, 'sound', 2, 6, 48), 'use_cache': False}, **VITS, num_key_value_heads=4, head_dim=12, vocab_size=V, max_position_embeddings=32),
    'dia': lambda o: _dia(o),
    'musicgenmelody': lambda o: _melody(o),
    'dpr': regressed('DPRQuestionEncoder', 'DPRConfig', ids, **ENC, vocab_size=V, projection_dim=24),
    'vitstext': regressed('vits.VitsTextEncoder', 'VitsConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'padding_mask': torch.ones(2, S, 1)}, vocab_size=V, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, layerdrop=0.0, hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, flow_size=24),
    'seamless': regressed('seamless_m4t.SeamlessM4TSpeechEncoder', 'SeamlessM4TConfig', lambda o: {'input_features': noise(o, 'mel', 2, 24, 16)}, vocab_size=V, hidden_size=48, feature_projection_input_dim=16, speech_encoder_layers=2, speech_encoder_attention_heads=4, speech_encoder_intermediate_size=64, add_adapter=False, speech_encoder_layerdrop=0.0, dropout=0.0, conv_depthwise_kernel_size=5, max_source_positions=32, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4),
    'mossaudio': regressed('moss_transcribe_diarize.MossTranscribeDiarizeAudioModel', 'MossTranscribeDiarizeAudioConfig', lambda o: {'input_features': noise(o, 'mel', 2, 16, 32)}, **VITS, num_mel_bins=16, max_source_positions=16),
    'gitv': regressed('GitVisionModel', 'GitVisionConfig', image(16), **VITS, image_size=16, patch_size=4),
    'xlmroberta': masked('XLMRobertaForMaskedLM', 'XLMRobertaConfig', **ENC, pad_token_id=1),
    'florence2v': regressed('florence2.Florence2VisionBackbone', 'Florence2VisionConfig', lambda o: {'hidden_states': noise(o, 'image', 2, 3, 32, 32)}, depths=[1, 1], patch_size=[7, 3], patch_stride=[4, 2], patch_padding=[3, 1], patch_prenorm=[False, True], embed_dim=[16, 24], num_heads=[2, 4], num_groups=[2, 4], window_size=4, drop_path_rate=0.0, projection_dim=24),
    'depthanything': lambda o: _depth(o),
    'sam3vit': regressed('sam3.Sam3ViTModel', 'Sam3ViTConfig', image(16), **VITS, image_size=16, patch_size=4, window_size=2, global_attn_indexes=[1], pretrain_image_size=16),
    'eomt': regressed('EomtForUniversalSegmentation', 'EomtConfig', image(16), hidden_size=48, num_hidden_layers=3, num_attention_heads=4, image_size=16, patch_size=4, mlp_ratio=2, num_upscale_blocks=1, num_blocks=1, num_queries=5, num_register_tokens=2),
    'phi4audio': regressed('phi4_multimodal.Phi4MultimodalAudioModel', 'Phi4MultimodalAudioConfig', lambda o: {'hidden_states': noise(o, 'mel', 2, 64, 16), 'mask': None}, hidden_size=48, intermediate_size=64, num_blocks=2, num_attention_heads=4, input_size=16, nemo_conv_channels=8, ext_pw_out_channel=48, depthwise_separable_out_channel=48, bias_max_distance=16),
    'temporalmodel': diffuser('TransformerTemporalModel', lambda o: {'hidden_states': noise(o, 'latent', 4, 16, 4, 4), 'num_frames': 2}, num_attention_heads=2, attention_head_dim=8, in_channels=16, num_layers=2, norm_num_groups=4),
    'unetmotion': diffuser('UNetMotionModel', lambda o: {'sample': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, sample_size=8, in_channels=4, out_channels=4, down_block_types=('CrossAttnDownBlockMotion', 'DownBlockMotion'), up_block_types=('UpBlockMotion', 'CrossAttnUpBlockMotion'), block_out_channels=(16, 24), layers_per_block=1, norm_num_groups=4, cross_attention_dim=24, num_attention_heads=2, motion_num_attention_heads=2, motion_max_seq_length=4),
    'controlnet': lambda o: _controlnet(o),
    'mochivae': diffuser('AutoencoderKLMochi', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16)}, in_channels=15, latent_channels=4, encoder_block_out_channels=(32, 32, 32, 32), decoder_block_out_channels=(32, 32, 32, 32), layers_per_block=(1, 1, 1, 1, 1), temporal_expansions=(1, 1, 1), spatial_expansions=(1, 1, 1)),
    'qwenvae': diffuser('AutoencoderKLQwenImage', lambda o: {'sample': noise(o, 'image', 1, 3, 1, 16, 16)}, base_dim=8, z_dim=4, dim_mult=[1, 2], num_res_blocks=1, attn_scales=[], temperal_downsample=[False], latents_mean=[0.0] * 4, latents_std=[1.0] * 4),
    'i2vgen': diffuser('I2VGenXLUNet', lambda o: {'sample': noise(o, 'latent', 1, 4, 2, 8, 8), 'timestep': torch.tensor([301]), 'fps': torch.tensor([8]), 'image_latents': noise(o, 'image', 1, 4, 2, 8, 8), 'image_embeddings': noise(o, 'embeds', 1, 24), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24)}, sample_size=8, in_channels=4, out_channels=4, down_block_types=('CrossAttnDownBlock3D', 'DownBlock3D'), up_block_types=('UpBlock3D', 'CrossAttnUpBlock3D'), block_out_channels=(16, 24), layers_per_block=1, norm_num_groups=4, cross_attention_dim=24, attention_head_dim=8, num_attention_heads=None),
    })

    def _depth(o):
        c = transformers.DepthAnythingConfig(backbone_config=transformers.Dinov2Config(**VIT, out_indices=[1, 2], reshape_hidden_states=False), patch_size=4, reassemble_hidden_size=48, reassemble_factors=[2, 1], neck_hidden_sizes=[16, 24], fusion_hidden_size=16, head_hidden_size=8, head_in_index=-1)
        c._attn_implementation = c.backbone_config._attn_implementation = o.attn
        m = transformers.DepthAnythingForDepthEstimation(c)
        return m, image(16)(o), lambda out: hidden(o, out)

    def _dia(o):
        c = transformers.DiaConfig(encoder_config=dict(max_position_embeddings=32, num_hidden_layers=2, hidden_size=48, num_attention_heads=4, num_key_value_heads=4, head_dim=12, intermediate_size=64, vocab_size=V), decoder_config=dict(max_position_embeddings=32, num_hidden_layers=2, hidden_size=48, intermediate_size=64, num_attention_heads=4, num_key_value_heads=2, head_dim=12, cross_num_attention_heads=4, cross_head_dim=12, cross_num_key_value_heads=4, cross_hidden_size=48, vocab_size=V, num_channels=3, pad_token_id=2, eos_token_id=1, bos_token_id=3), pad_token_id=2, eos_token_id=1, bos_token_id=3, delay_pattern=[0, 1, 2])
        c._attn_implementation = c.encoder_config._attn_implementation = c.decoder_config._attn_implementation = o.attn
        m = transformers.DiaForConditionalGeneration(c)
        y = torch.stack([tokens(o, f'channel{i}', s=8) for i in range(3)], -1)
        return m, {'input_ids': tokens(o, 'tokens'), 'decoder_input_ids': y, 'use_cache': False}, lambda out: F.mse_loss(out.logits.float(), noise(o, 'wanted', *out.logits.shape))

    def _melody(o):
        m = configured(o, 'MusicgenMelodyForCausalLM', 'MusicgenMelodyDecoderConfig', vocab_size=V, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, max_position_embeddings=64, dropout=0.0, num_codebooks=2, pad_token_id=0, bos_token_id=0)
        return m, {'input_ids': tokens(o, 'codes', b=4), 'encoder_hidden_states': noise(o, 'text', 2, 4, 48), 'encoder_attention_mask': torch.ones(2, 4, dtype=torch.long), 'use_cache': False}, lambda out: F.mse_loss(out.logits.float(), noise(o, 'wanted', *out.logits.shape))

    def _controlnet(o):
        m, given, loss = diffuser('ControlNetModel', lambda o: {'sample': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'controlnet_cond': noise(o, 'cond', 2, 3, 16, 16), 'return_dict': False}, in_channels=4, block_out_channels=(16, 24), down_block_types=('CrossAttnDownBlock2D', 'DownBlock2D'), layers_per_block=1, cross_attention_dim=24, attention_head_dim=2, norm_num_groups=4, conditioning_embedding_out_channels=(8, 16))(o)
        return m, given, lambda out: sum(loss(x) for x in (*out[0], out[1]))

    # the fifteenth set
    class HandSwitch(nn.Module):
        """experts by capacity: one-hot picks, places by a running sum, tokens sent and brought back by products; a loss of balance; one matrix for all experts"""
        def __init__(self, o):
            super().__init__()
            self.loop = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(n1=nn.LayerNorm(48), mix=nn.Linear(S, S), n2=nn.LayerNorm(48), gate=nn.Linear(48, 4, bias=False))) for _ in range(2)])
            self.up, self.down = (nn.ParameterList([nn.Parameter(torch.zeros(4, *s)) for _ in range(2)]) for s in ((48, 64), (64, 48)))
            self.out = nn.Linear(48, V)

        def forward(self, idx):
            x, room = self.table(idx), 8
            for l, up, down in zip(self.layers, self.up, self.down):
                x = x + torch.tanh(l['mix'](l['n1'](x).transpose(1, 2))).transpose(1, 2)
                h = l['n2'](x).reshape(-1, 48)
                p = F.softmax(l['gate'](h).float(), -1)
                w, e = p.max(-1)
                hot = F.one_hot(e, 4)
                place = (hot.cumsum(0) * hot).sum(-1) - 1
                if self.loop:
                    y = torch.zeros_like(h)
                    for i in range(4):
                        at = torch.nonzero((e == i) & (place < room)).squeeze(-1)
                        y = y.index_copy(0, at, (torch.relu(h[at] @ up[i]) @ down[i]).to(y.dtype))
                    y = y * w[:, None].to(y.dtype)
                else:
                    send = (hot[:, :, None] * F.one_hot(place.clamp(max=room), room + 1)[:, None, :room]).to(h.dtype)
                    z = torch.einsum('nec,nd->ecd', send, h)
                    z = torch.bmm(torch.relu(torch.bmm(z, up)), down)
                    y = torch.einsum('nec,ecd->nd', send * w[:, None, None].to(h.dtype), z.to(send.dtype))
                x = x + y.view_as(x)
            return self.out(x)

    class HandTcn(nn.Module):
        """dilated convolutions over time, gated, weights normed by hand, skips summed"""
        def __init__(self, o):
            super().__init__()
            self.two = o.attn != 'eager'
            self.table = nn.Embedding(V, 32)
            self.v = nn.ParameterList([nn.Parameter(torch.zeros(64, 32, 3)) for _ in range(3)])
            self.g = nn.ParameterList([nn.Parameter(torch.ones(64, 1, 1)) for _ in range(3)])
            self.skip = nn.ModuleList([nn.Conv1d(32, 48, 1) for _ in range(3)])
            self.res = nn.ModuleList([nn.Conv1d(32, 32, 1) for _ in range(3)])
            self.head = nn.Sequential(nn.PReLU(), nn.Conv1d(48, 48, 1), nn.SELU(), nn.Conv1d(48, V, 1))

        def forward(self, idx):
            x, total = self.table(idx).transpose(1, 2), 0
            for i, (v, g, s, r) in enumerate(zip(self.v, self.g, self.skip, self.res)):
                w = g * v / v.norm(dim=(1, 2), keepdim=True)
                h = F.pad(x, (2 * 2 ** i, 0))
                if self.two:
                    y = torch.tanh(F.conv1d(h, w[:32], dilation=2 ** i)) * torch.sigmoid(F.conv1d(h, w[32:], dilation=2 ** i))
                else:
                    a, b = F.conv1d(h, w, dilation=2 ** i).chunk(2, 1)
                    y = a.tanh() * b.sigmoid()
                total, x = total + s(y), (x + r(y)) * 0.5 ** 0.5
            return self.head(total).transpose(1, 2)

    class HandDlrm(nn.Module):
        """features from bags of ids, their products with one another, two towers and a cross network"""
        def __init__(self, o):
            super().__init__()
            self.square = o.attn != 'eager'
            self.bags = nn.ModuleList([nn.EmbeddingBag(V, 16, mode=m) for m in ('mean', 'sum')])
            self.single = nn.Embedding(V, 16)
            self.cross = nn.ModuleList([nn.Linear(48, 48) for _ in range(2)])
            self.tower = nn.Sequential(nn.Linear(48, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 24))
            self.out = nn.Linear(49 + 24, V)

        def forward(self, idx):
            flat = idx.reshape(-1, 1).repeat(1, 3) * torch.tensor([1, 3, 5]) % V
            f = torch.stack([b(flat) for b in self.bags] + [self.single(idx.reshape(-1))], 1)
            total = f.sum(1)
            fm = 0.5 * (total.square() - f.square().sum(1)).sum(-1, keepdim=True) if self.square else (f[:, 0] * f[:, 1] + f[:, 0] * f[:, 2] + f[:, 1] * f[:, 2]).sum(-1, keepdim=True)
            x0 = x = f.flatten(1)
            for c in self.cross:
                x = x0 * c(x) + x
            return self.out(torch.cat([x, fm.to(x.dtype), self.tower(x0).to(x.dtype)], -1)).view(*idx.shape, V)

    class HandFlow(nn.Module):
        """an invertible flow of images: squeezed pixels, normed channels, products of channels, halves scaled and moved; its log-likelihood"""
        def __init__(self, o):
            super().__init__()
            self.conv = o.attn != 'eager'
            self.bias, self.log = (nn.ParameterList([nn.Parameter(torch.zeros(12)) for _ in range(3)]) for _ in range(2))
            self.mix = nn.ParameterList([nn.Parameter(torch.zeros(12, 12)) for _ in range(3)])
            self.nets = nn.ModuleList([nn.Sequential(nn.Conv2d(6, 24, 3, 1, 1), nn.ReLU6(), nn.Conv2d(24, 24, 1), nn.Hardtanh(-2, 2), nn.Conv2d(24, 12, 3, 1, 1)) for _ in range(3)])

        def forward(self, x):
            z, det = F.pixel_unshuffle(x, 2), 0
            for b, s, w, net in zip(self.bias, self.log, self.mix, self.nets):
                z = (z + b[:, None, None]) * torch.exp(s)[:, None, None]
                z = F.conv2d(z, w[:, :, None, None]) if self.conv else torch.einsum('oc,bchw->bohw', w, z)
                a, c = z.chunk(2, 1)
                t, r = net(a).chunk(2, 1)
                r = torch.sigmoid(r + 2)
                z = torch.cat([a, (c + t) * r], 1)
                det = det + torch.log(r).float().flatten(1).sum(1) + s.float().sum() * 16
            like = -0.5 * (z.float().square() + 1.8378770664093453).flatten(1).sum(1) + det
            return torch.cat([F.pixel_shuffle(z, 2).flatten(1), 0.01 * like[:, None].to(z.dtype)], 1)

    class HandSoftMoe(nn.Module):
        """soft experts: tokens weighed into slots, slots weighed back, both by softmaxes of one matrix of scores"""
        def __init__(self, o):
            super().__init__()
            self.loop = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(n=nn.LayerNorm(48), gru=nn.Linear(96, 48), up=nn.ModuleList([nn.Linear(48, 32) for _ in range(3)]), down=nn.ModuleList([nn.Linear(32, 48) for _ in range(3)]))) for _ in range(2)])
            self.slots = nn.ParameterList([nn.Parameter(torch.zeros(48, 3, 2)) for _ in range(2)])
            self.out = nn.Linear(48, V)

        def forward(self, idx):
            x = self.table(idx)
            for l, slot in zip(self.layers, self.slots):
                h = l['n'](x)
                h = h * torch.sigmoid(l['gru'](torch.cat([h, torch.roll(h, 1, 1)], -1)))
                score = torch.einsum('bnd,dep->bnep', F.normalize(h.float(), dim=-1), F.normalize(slot.float(), dim=0)) * 6
                send, back = torch.softmax(score, 1).to(h.dtype), torch.softmax(score.flatten(2), -1).view_as(score).to(h.dtype)
                if self.loop:
                    y = 0
                    for e in range(3):
                        z = l['down'][e](F.silu(l['up'][e](send[:, :, e].transpose(1, 2) @ h)))
                        y = y + back[:, :, e] @ z
                else:
                    z = torch.einsum('bnep,bnd->bepd', send, h)
                    z = torch.stack([l['down'][e](F.silu(l['up'][e](z[:, e]))) for e in range(3)], 1)
                    y = torch.einsum('bnep,bepd->bnd', back, z)
                x = x + y
            return self.out(x)

    def states(o, name='states', n=S, d=48, b=2):
        return {'hidden_states': noise(o, name, b, n, d)}


    C.update({
    'flaubert': ('FlaubertWithLMHeadModel', 'FlaubertConfig', dict(emb_dim=48, n_layers=2, n_heads=4, dropout=0.0, attention_dropout=0.0, max_position_embeddings=64, pad_token_id=2, bos_token_id=0, eos_token_id=1)),
    })
    M.update({
    'handswitch': hand(HandSwitch, 'tokens'),
    'handtcn': hand(HandTcn, 'tokens'),
    'handdlrm': hand(HandDlrm, 'tokens'),
    'handflow': hand(HandFlow, 'image', 3),
    'luke': lambda o: _luke(o),
    'lilt': regressed('LiltModel', 'LiltConfig', lambda o: {'input_ids': tokens(o, 'tokens'), 'bbox': tokens(o, 'boxes', 2, S * 4, 0, 30).view(2, S, 4).sort(-1).values}, **ENC, vocab_size=V, channel_shrink_ratio=2, max_2d_position_embeddings=64),
    'w2vconformer': regressed('Wav2Vec2ConformerForCTC', 'Wav2Vec2ConformerConfig', speech(400), **W2V, vocab_size=V, position_embeddings_type='rotary', conformer_conv_dropout=0.0),
    'seamlessv2': regressed('seamless_m4t_v2.SeamlessM4Tv2SpeechEncoder', 'SeamlessM4Tv2Config', lambda o: {'input_features': noise(o, 'mel', 2, 24, 16)}, vocab_size=V, hidden_size=48, feature_projection_input_dim=16, speech_encoder_layers=2, speech_encoder_attention_heads=4, speech_encoder_intermediate_size=64, add_adapter=False, speech_encoder_layerdrop=0.0, speech_encoder_dropout=0.0, dropout=0.0, conv_depthwise_kernel_size=5, left_max_position_embeddings=8, right_max_position_embeddings=4, speech_encoder_chunk_size=8),
    'udop': regressed('udop.UdopStack', 'UdopConfig', lambda o: {'inputs_embeds': noise(o, 'embeds', 2, S, 48), 'bbox': noise(o, 'boxes', 2, S, 4).abs().clamp(max=0.99).sort(-1).values, 'use_cache': False, 'attention_mask': torch.ones(2, S, dtype=torch.long)}, vocab_size=V, d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, max_2d_position_embeddings=32, relative_attention_num_buckets=8),
    'vitposemoe': lambda o: _vitpose(o),
    'omniasra': regressed('omniasr.OmniASRAudioModel', 'OmniASRAudioConfig', lambda o: {'input_values': noise(o, 'speech', 2, 1, 400)}, hidden_size=48, conv_dim=(16, 16), conv_stride=(4, 4), conv_kernel=(8, 4), num_attention_heads=4, num_hidden_layers=2, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, intermediate_size=64, hidden_dropout=0.0, layerdrop=0.0, activation_dropout=0.0),
    'kosmos25t': masked('kosmos2_5.Kosmos2_5TextForCausalLM', 'Kosmos2_5TextConfig', embed_dim=48, layers=2, ffn_dim=64, attention_heads=4, max_position_embeddings=32, dropout=0.0, attention_dropout=0.0),
    'evollaprot': lambda o: _saprot(o),
    't5gemma2': regressed('t5gemma2.T5Gemma2TextEncoder', 'T5Gemma2TextConfig', ids, **GQA, **TOK, vocab_size=V, head_dim=12, query_pre_attn_scalar=12, **SLIDE, dropout_rate=0.0, attention_dropout=0.0),
    'alignv': regressed('AlignVisionModel', 'AlignVisionConfig', image(32, 3), width_coefficient=0.5, depth_coefficient=0.3, image_size=32, kernel_sizes=[3, 5], in_channels=[32, 32], out_channels=[32, 48], depthwise_padding=[], strides=[1, 2], num_block_repeats=[1, 1], expand_ratios=[1, 4], hidden_dim=24, drop_connect_rate=0.0),
    'flavai': regressed('FlavaImageModel', 'FlavaImageConfig', image(16), **VIT),
    'timeseries': lambda o: _series('TimeSeriesTransformerForPrediction', 'TimeSeriesTransformerConfig', o),
    'hieradet': timm_class('HieraDet', 'hieradet_sam2', 64, 2, embed_dim=16, num_heads=1, stages=(1, 1, 2, 1), q_pool=2, window_spec=(4, 2, 4, 2), global_att_blocks=(3,), global_pos_size=(4, 4)),
    'repvit': timm_class('RepVit', 'repvit', 64, 3, img_size=64, embed_dim=(16, 24, 32), depth=(1, 1, 1), distillation=False),
    'iformer': timm_class('IFormer', 'iformer', 64, 3, dims=(16, 24, 32, 48), depths=(1, 1, 3, 1), attn_groups=(0, 0, 1, 0), layer_scale_init_value=0.5),
    'tvsqueeze': lambda o: _torchvision('squeezenet1_1', 64, o),
    'sd3control': lambda o: _control('SD3ControlNetModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'controlnet_cond': noise(o, 'cond', 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'pooled_projections': noise(o, 'pooled', 2, 16), 'timestep': torch.tensor([7, 301]), 'return_dict': False}, dict(sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=12, num_attention_heads=4, joint_attention_dim=24, caption_projection_dim=48, pooled_projection_dim=16, out_channels=4, pos_embed_max_size=8, qk_norm='rms_norm'), o),
    'magvit': diffuser('AutoencoderKLMagvit', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16)}, latent_channels=4, block_out_channels=[16, 16], down_block_types=['SpatialDownBlock3D', 'SpatialTemporalDownBlock3D'], up_block_types=['SpatialUpBlock3D', 'SpatialTemporalUpBlock3D'], layers_per_block=1, norm_num_groups=4),
    'minimaxmusic': diffuser('MiniMaxMusic3Transformer1DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 8, 12), 'timestep': torch.tensor([0.3, 0.7]), 'encoder_hidden_states': noise(o, 'text', 2, 12, 24)}, in_channels=8, condition_dim=24, num_layers=2, num_attention_heads=4, attention_head_dim=12, ff_inner_dim=64, rotary_dim=8, fourier_embedding_dim=16),
    'audioldm2': diffuser('AudioLDM2UNet2DConditionModel', lambda o: {'sample': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'encoder_hidden_states_1': noise(o, 'text1', 2, 6, 24)}, sample_size=8, in_channels=4, out_channels=4, down_block_types=('DownBlock2D', 'CrossAttnDownBlock2D'), up_block_types=('CrossAttnUpBlock2D', 'UpBlock2D'), block_out_channels=(16, 24), layers_per_block=1, norm_num_groups=4, cross_attention_dim=([None, 24, 24], [None, 24, 24]), attention_head_dim=8),
    'handsoftmoe': hand(HandSoftMoe, 'tokens'),
    'hunyuanvae': diffuser('AutoencoderKLHunyuanVideo', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16)}, latent_channels=4, down_block_types=('HunyuanVideoDownBlock3D',) * 4, up_block_types=('HunyuanVideoUpBlock3D',) * 4, block_out_channels=(8, 8, 16, 16), layers_per_block=1, norm_num_groups=4),
    })

    # practice before the fifteenth set
    class HandGat(nn.Module):
        """attention along edges, its softmax by the largest and the sum of each node's scores, four heads"""
        def __init__(self, o):
            super().__init__()
            self.dense = o.attn != 'eager'
            self.table = nn.Embedding(V, 48)
            self.layers = nn.ModuleList([nn.ModuleDict(dict(w=nn.Linear(48, 48), n=nn.LayerNorm(48))) for _ in range(2)])
            self.a = nn.ParameterList([nn.Parameter(torch.zeros(4, 12)) for _ in range(4)])
            self.out = nn.Linear(48, V)

        def forward(self, idx):
            x = self.table(idx.reshape(-1))
            n = x.shape[0]
            to = torch.arange(n).repeat_interleave(3)
            fro = (to * 5 + torch.arange(3).repeat(n) * 7 + 2) % n
            for i, l in enumerate(self.layers):
                h = l['w'](x).view(n, 4, 12)
                left, right = (h * self.a[2 * i]).sum(-1), (h * self.a[2 * i + 1]).sum(-1)
                e = F.leaky_relu(left[to] + right[fro], 0.2)
                if self.dense:
                    score = torch.full((n, n, 4), float('-inf'), dtype=e.dtype)
                    score = score.index_put((to, fro), e)
                    y = torch.einsum('ijh,jhd->ihd', torch.softmax(score, 1).to(h.dtype), h)
                else:
                    top = torch.full((n, 4), float('-inf'), dtype=e.dtype).scatter_reduce(0, to[:, None].expand(-1, 4), e, 'amax')
                    e = torch.exp(e - top[to])
                    total = torch.zeros(n, 4, dtype=e.dtype).index_add(0, to, e)
                    y = torch.zeros(n, 4, 12, dtype=h.dtype).index_add(0, to, (e / total[to]).to(h.dtype)[..., None] * h[fro])
                x = l['n'](x + F.elu(y.flatten(1).to(x.dtype)))
            return self.out(x).view(*idx.shape, V)

    class HandPerformer(nn.Module):
        """attention without a softmax: positive features of queries and keys, running sums of their products"""
        def __init__(self, o):
            super().__init__()
            self.all = o.attn != 'eager'
            self.table, self.place = nn.Embedding(V, 48), nn.Parameter(torch.zeros(S, 48))
            self.layers = nn.ModuleList([nn.ModuleDict(dict(n1=nn.LayerNorm(48), qkv=nn.Linear(48, 144, bias=False), o=nn.Linear(48, 48), n2=nn.LayerNorm(48), up=nn.Linear(48, 96), down=nn.Linear(96, 48))) for _ in range(2)])
            self.n = nn.LayerNorm(48)

        def forward(self, idx):
            b, s = idx.shape
            x = self.table(idx) + self.place
            for l in self.layers:
                q, k, v = (z.view(b, s, 4, 12).transpose(1, 2) for z in l['qkv'](l['n1'](x)).chunk(3, -1))
                q, k = F.elu(q) + 1, F.elu(k) + 1
                if self.all:
                    a = torch.tril(q @ k.transpose(-1, -2))
                    y = (a @ v) / (a.sum(-1, keepdim=True) + 1e-6)
                else:
                    kv = torch.cumsum(k[..., :, None] * v[..., None, :], 2)
                    y = torch.einsum('bhsd,bhsde->bhse', q, kv) / ((q * torch.cumsum(k, 2)).sum(-1, keepdim=True) + 1e-6)
                x = x + l['o'](y.transpose(1, 2).reshape(b, s, 48).to(x.dtype))
                a, g = l['up'](l['n2'](x)).chunk(2, -1)
                x = x + l['down'](torch.cat([a * torch.sigmoid(1.702 * g), F.gelu(g)], -1))
            return self.n(x) @ self.table.weight.t()

    class HandNerf(nn.Module):
        """a field of colours along rays: sines of coordinates, a skip, densities to weights by a running product"""
        def __init__(self, o):
            super().__init__()
            self.logs = o.attn != 'eager'
            self.a, self.b, self.density, self.colour = nn.Linear(39, 48), nn.Linear(87, 48), nn.Linear(48, 1), nn.Linear(48, 3)

        def forward(self, x):
            p = x.permute(0, 2, 3, 1).reshape(-1, 8, 3) * 0.4
            f = torch.cat([p] + [g(p * 2.0 ** i) for i in range(6) for g in (torch.sin, torch.cos)], -1)
            h = torch.relu(self.a(f))
            h = torch.relu(self.b(torch.cat([h, f], -1)))
            d, c = F.softplus(self.density(h)).squeeze(-1).float() * 0.25, torch.sigmoid(self.colour(h))
            if self.logs:
                w = (1 - torch.exp(-d)) * torch.exp(-(torch.cumsum(d, -1) - d))
            else:
                alpha = 1 - torch.exp(-d)
                w = alpha * torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha[:, :-1]], -1), -1)
            return (w[..., None].to(c.dtype) * c).sum(1)

    class HandContrast(nn.Module):
        """two towers, their rows normed, a matrix of scores with a learned temperature, both ways"""
        def __init__(self, o):
            super().__init__()
            self.hand = o.attn != 'eager'
            self.table, self.rnn = nn.Embedding(V, 32), nn.Linear(32, 32)
            self.conv = nn.Sequential(nn.Unflatten(1, (1, S)), nn.Conv1d(1, 16, 3, padding=1), nn.GELU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, 32))
            self.scale = nn.Parameter(torch.tensor(2.0))

        def forward(self, idx):
            e = self.table(torch.cat([idx, idx.flip(0) // 2]))
            a = torch.tanh(self.rnn(e)).amax(1)
            b = self.conv(e.mean(-1))
            if self.hand:
                a, b = (z / z.norm(dim=-1, keepdim=True).clamp(min=1e-12) for z in (a, b))
            else:
                a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
            return self.scale.exp() * a @ b.t()

    def _contrast(o):
        y = torch.arange(4)
        return HandContrast(o), {'idx': tokens(o, 'tokens')}, lambda out: 0.5 * (cross_entropy(o, out, y, 0) + cross_entropy(o, out.t(), y, 0))

    M.update({
    'handgat': hand(HandGat, 'tokens'),
    'handperformer': hand(HandPerformer, 'tokens'),
    'handnerf': hand(HandNerf, 'image', 3),
    'handcontrast': _contrast,
    'flavam': regressed('FlavaMultimodalModel', 'FlavaMultimodalConfig', lambda o: states(o), **{k: v for k, v in VIT.items() if 'size' not in k or k == 'hidden_size' or k == 'intermediate_size'}),
    'blt': lambda o: _blt(o),
    'llama4v': regressed('llama4.Llama4VisionModel', 'Llama4VisionConfig', image(16), **{**VITS, 'intermediate_size': 192}, image_size=16, patch_size=4, vision_output_dim=24, projector_input_dim=24, projector_output_dim=24),
    'csatv2': timm_class('CSATv2', 'csatv2', 128, 2, dims=(16, 24, 32, 48), depths=(1, 1, 2, 2), transformer_depths=(0, 0, 1, 1)),
    'tvshuffle': lambda o: _torchvision('shufflenet_v2_x0_5', 64, o),
    'tvmnas': lambda o: _torchvision('mnasnet0_5', 64, o),
    'fluxcontrol': lambda o: _control('FluxControlNetModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'controlnet_cond': noise(o, 'cond', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'pooled_projections': noise(o, 'pooled', 1, 16), 'timestep': torch.tensor([0.3]), 'img_ids': torch.arange(48).reshape(16, 3).float() % 7, 'txt_ids': torch.zeros(5, 3), 'return_dict': False}, dict(in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, pooled_projection_dim=16, axes_dims_rope=[4, 6, 6]), o),
    'vidtok': diffuser('AutoencoderVidTok', lambda o: {'sample': noise(o, 'video', 1, 3, 1, 16, 16), 'sample_posterior': False}, ch=32, ch_mult=[1, 1], z_channels=4, num_res_blocks=1, spatial_ds=[0], spatial_us=[0], tempo_ds=[], tempo_us=[]),
    })

    def _luke(o):
        m = configured(o, 'LukeForMaskedLM', 'LukeConfig', **ENC, vocab_size=V, entity_vocab_size=20, entity_emb_size=24, pad_token_id=1)
        y = tokens(o, 'labels')
        spot = torch.tensor([[[2, 3, 4], [7, 8, -1]]]).expand(2, -1, -1).contiguous()
        return m, {'input_ids': tokens(o, 'tokens'), 'entity_ids': tokens(o, 'entities', 2, 2, 3, 20), 'entity_position_ids': spot, 'entity_attention_mask': torch.ones(2, 2, dtype=torch.long)}, lambda out: cross_entropy(o, out.logits, y, 0)

    def _series(cls, config, o):
        kw = dict(prediction_length=6, context_length=12, lags_sequence=[1, 2], num_time_features=2, d_model=32, encoder_attention_heads=4, decoder_attention_heads=4, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=48, decoder_ffn_dim=48, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0)
        m = configured(o, cls, config, **kw)
        given = {'past_values': noise(o, 'past', 2, 14).cumsum(-1), 'past_time_features': noise(o, 'time', 2, 14, 2), 'past_observed_mask': torch.ones(2, 14), 'future_values': noise(o, 'future', 2, 6), 'future_time_features': noise(o, 'later', 2, 6, 2)}
        return m, given, lambda out: out.loss

    def _blt(o):
        part = dict(vocab_size=V, hidden_size=48, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=4, head_dim=12, max_position_embeddings=64)
        c = transformers.BltConfig(vocab_size=V, patch_in_forward=False, encoder_hash_byte_group_size=[3], encoder_hash_byte_group_vocab=60, cross_attn_k=2, patcher_config=part, encoder_config=dict(**part, cross_attn_k=2, hidden_size_global=96), decoder_config=dict(**part, cross_attn_k=2, hidden_size_global=96), global_config=dict(**{**part, 'hidden_size': 96, 'head_dim': 24}))
        c._attn_implementation = o.attn
        for sub in ('patcher_config', 'encoder_config', 'decoder_config', 'global_config'):
            getattr(c, sub)._attn_implementation = o.attn
        x = tokens(o, 'tokens')
        return transformers.BltForCausalLM(c), {'input_ids': x, 'patch_lengths': torch.tensor([[1, 3, 4, 3], [1, 4, 3, 3]]), 'use_cache': False}, lambda out: cross_entropy(o, out.logits, x, 1 + o.shift)

    def _torchvision(name, size, o):
        import torchvision
        m = getattr(torchvision.models, name)(num_classes=10)
        for d in m.modules():
            if isinstance(d, nn.Dropout):
                d.p = 0.0
        return classified(o, m, size, 3)

    def _control(cls, inputs, kw, o):
        m, given, loss = diffuser(cls, inputs, **kw)(o)
        flat = lambda out: [x for part in out if part is not None for x in (part if isinstance(part, (list, tuple)) else [part])]
        return m, given, lambda out: sum(loss(x) for x in flat(out))

    def _saprot(o):
        from transformers.models.evolla.configuration_evolla import SaProtConfig
        from transformers.models.evolla.modeling_evolla import EvollaSaProtProteinEncoder
        c = SaProtConfig(**ENC, vocab_size=V, mask_token_id=3, pad_token_id=1)
        c._attn_implementation = o.attn
        return EvollaSaProtProteinEncoder(c), {'input_ids': tokens(o, 'tokens'), 'attention_mask': torch.ones(2, S, dtype=torch.long)}, lambda out: hidden(o, out)

    def _vitpose(o):
        m = configured(o, 'vitpose_backbone.VitPoseBackbone', 'VitPoseBackboneConfig', image_size=[32, 32], patch_size=[8, 8], hidden_size=48, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, num_experts=3, part_features=16)
        return m, {**image(32)(o), 'dataset_index': torch.tensor([1, 2])}, lambda out: hidden(o, out.feature_maps[0])

    class HandScan(nn.Module):
        """a selective scan: state by state, or by sums of logarithms"""
        def __init__(self, o):
            super().__init__()
            self.sums = o.attn != 'eager'
            self.table, self.n = nn.Embedding(V, 32), nn.LayerNorm(32)
            self.inp, self.dt, self.bc, self.out = nn.Linear(32, 64), nn.Linear(32, 32), nn.Linear(32, 8), nn.Linear(32, V)

        def forward(self, idx):
            x = self.table(idx)
            u, z = self.inp(self.n(x)).chunk(2, -1)
            d, (b, c) = F.softplus(self.dt(u)), self.bc(u).split(4, -1)
            a = -d.float() * 0.3
            bu = (d * u).float()[..., None] * b.float()[:, :, None]
            if self.sums:
                s = torch.cumsum(a, 1)
                h = torch.cumsum(bu * torch.exp(-s)[..., None], 1) * torch.exp(s)[..., None]
            else:
                h, hs = torch.zeros_like(bu[:, 0]), []
                for i in range(x.shape[1]):
                    h = torch.exp(a[:, i])[..., None] * h + bu[:, i]
                    hs.append(h)
                h = torch.stack(hs, 1)
            y = (h * c.float()[:, :, None]).sum(-1).to(x.dtype)
            return self.out(x + y * F.silu(z))

    class HandVq(nn.Module):
        """codes by nearest rows: distances written out or expanded; straight through"""
        def __init__(self, o):
            super().__init__()
            self.expand = o.attn != 'eager'
            self.enc, self.dec = nn.Conv2d(3, 16, 2, 2), nn.ConvTranspose2d(16, 3, 2, 2)
            self.codes = nn.Parameter(torch.zeros(12, 16))

        def forward(self, x):
            z = self.enc(x)
            flat = z.permute(0, 2, 3, 1).reshape(-1, 16)
            if self.expand:
                d = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.t() + self.codes.pow(2).sum(1)
            else:
                d = (flat[:, None] - self.codes[None]).pow(2).sum(-1)
            q = self.codes[d.argmin(1)].to(z.dtype).view(z.shape[0], z.shape[2], z.shape[3], 16).permute(0, 3, 1, 2)
            commit = (z - q.detach()).pow(2).mean() + (z.detach() - q).pow(2).mean()
            return self.dec(z + (q - z).detach()) + commit

    class HandBahdanau(nn.Module):
        """additive attention over states of a recurrent cell, by broadcast sums or one product of both"""
        def __init__(self, o):
            super().__init__()
            self.joint = o.attn != 'eager'
            self.table, self.cell, self.w, self.v, self.out = nn.Embedding(V, 24), nn.GRUCell(24, 24), nn.Linear(48, 24), nn.Linear(24, 1, bias=False), nn.Linear(48, V)

        def forward(self, idx):
            e = self.table(idx)
            h, hs = e.new_zeros(e.shape[0], 24), []
            for i in range(e.shape[1]):
                h = self.cell(e[:, i], h)
                hs.append(h)
            h = torch.stack(hs, 1)
            b, s, d = h.shape
            if self.joint:
                a = self.v(torch.tanh(self.w(torch.cat([h[:, :, None].expand(b, s, s, d), h[:, None].expand(b, s, s, d)], -1)))).squeeze(-1)
            else:
                q = F.linear(h, self.w.weight[:, :24], self.w.bias)
                k = F.linear(h, self.w.weight[:, 24:])
                a = (torch.tanh(q[:, :, None] + k[:, None]) * self.v.weight[0]).sum(-1)
            a = a.masked_fill(torch.ones(s, s, dtype=torch.bool).triu(1), float('-inf'))
            return self.out(torch.cat([h, torch.softmax(a, -1) @ h], -1))

    class HandUnfold(nn.Module):
        """convolutions as products of unfolded patches; pooling by means of views; a bilinear head"""
        def __init__(self, o):
            super().__init__()
            self.unfold = o.attn != 'eager'
            self.a, self.b = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1, groups=4)
            self.n, self.head = nn.GroupNorm(4, 16), nn.Bilinear(16, 16, 10)

        def conv(self, c, x):
            if not self.unfold:
                return c(x)
            g, n = c.groups, x.shape[0]
            p = F.unfold(x, 3, padding=1).view(n, g, -1, x.shape[2] * x.shape[3])
            y = torch.einsum('gok,ngkl->ngol', c.weight.view(g, -1, p.shape[2]), p).reshape(n, -1, x.shape[2], x.shape[3])
            return y + c.bias[:, None, None]

        def forward(self, x):
            h = F.celu(self.n(self.conv(self.a, x)))
            h = h + F.hardswish(self.conv(self.b, h))
            n, c, s, _ = h.shape
            h = h.view(n, c, s // 2, 2, s // 2, 2).mean((3, 5)) if self.unfold else F.avg_pool2d(h, 2)
            return self.head(h.mean((2, 3)), h.amax((2, 3)))

    class HandMerged(nn.Module):
        """low-rank factors beside a weight or merged into it; a gate by a log-sigmoid; losses of two heads"""
        def __init__(self, o):
            super().__init__()
            self.merge = o.attn != 'eager'
            self.table, self.w, self.a, self.b, self.n = nn.Embedding(V, 48), nn.Linear(48, 48), nn.Linear(48, 4, bias=False), nn.Linear(4, 48, bias=False), nn.LayerNorm(48)
            self.gate, self.out = nn.Linear(48, 48), nn.Linear(48, V, bias=False)

        def forward(self, idx):
            x = self.table(idx)
            h = self.n(x)
            y = F.linear(h, self.w.weight + 2.0 * self.b.weight @ self.a.weight, self.w.bias) if self.merge else self.w(h) + 2.0 * self.b(self.a(h))
            g = torch.exp(F.logsigmoid(self.gate(h))) if self.merge else torch.sigmoid(self.gate(h))
            return self.out((x + g * torch.tanh(y)) * 48 ** -0.5)

    class HandFft(nn.Module):
        """a long filter by Fourier transforms, or by a product with a matrix of its shifts"""
        def __init__(self, o):
            super().__init__()
            self.matrix = o.attn != 'eager'
            self.table, self.n, self.up, self.down = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, 64), nn.Linear(32, V)
            self.k = nn.Parameter(torch.zeros(32, S))

        def forward(self, idx):
            x = self.table(idx)
            u, g = self.up(self.n(x)).chunk(2, -1)
            u = u.transpose(1, 2)
            if self.matrix:
                t = torch.arange(S)
                m = torch.where(t[:, None] >= t, self.k[:, (t[:, None] - t).clamp(min=0)], 0.0)
                y = torch.einsum('dts,bds->bdt', m.to(u.dtype), u)
            else:
                y = torch.fft.irfft(torch.fft.rfft(u.float(), 2 * S) * torch.fft.rfft(self.k.float(), 2 * S), 2 * S)[..., :S].to(u.dtype)
            return self.down(x + y.transpose(1, 2) * torch.sigmoid(g))

    M.update({
    'handscan': hand(HandScan, 'tokens'),
    'handvq': hand(HandVq, 'image', 3),
    'handbahdanau': hand(HandBahdanau, 'tokens'),
    'handunfold': hand(HandUnfold, 'image', 3),
    'handmerged': hand(HandMerged, 'tokens'),
    'handfft': hand(HandFft, 'tokens'),
    })

    M.update({
    'sam2hiera': regressed('sam2.Sam2HieraDetModel', 'Sam2HieraDetConfig', image(64), hidden_size=16, image_size=[64, 64], embed_dim_per_stage=[16, 32, 64], blocks_per_stage=[1, 1, 2], num_attention_heads_per_stage=[1, 2, 4], window_size_per_stage=[4, 2, 2], global_attention_blocks=[3], num_query_pool_stages=2, window_positional_embedding_background_size=[4, 4]),
    'csmbackbone': regressed('csm.CsmBackboneModel', 'CsmConfig', lambda o: {'inputs_embeds': noise(o, 'embeds', 2, S, 48), 'use_cache': False}, **GQA, vocab_size=V, text_vocab_size=V, num_codebooks=2, head_dim=12, pad_token_id=0, codebook_pad_token_id=0, audio_token_id=3),
    'nemotronasr': regressed('nemotron_asr_streaming.NemotronAsrStreamingEncoder', 'NemotronAsrStreamingEncoderConfig', lambda o: {'input_features': noise(o, 'mel', 2, 64, 16)}, **CONFORMER, num_key_value_heads=4, conv_kernel_size=5, sliding_window=4, default_num_lookahead_tokens=1, ),
    'mimifull': regressed('MimiModel', 'MimiConfig', lambda o: {'input_values': noise(o, 'speech', 1, 1, 160)}, **{**VITS, 'hidden_size': 32}, num_key_value_heads=4, head_dim=8, num_filters=4, upsampling_ratios=[4, 2], upsample_groups=32, codebook_size=16, codebook_dim=16, vector_quantization_hidden_dimension=16, num_quantizers=2, sampling_rate=800),
    'flux3': diffuser('Flux3Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 16, 8), 'encoder_hidden_states': noise(o, 'text', 1, 5, 24), 'timestep': torch.tensor([0.3]), 'img_ids': torch.arange(64).reshape(16, 4).float() % 7, 'txt_ids': torch.zeros(5, 4)}, in_channels=8, cond_in_channels=8, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24, timestep_channels=16, axes_dims_rope=(4, 4, 4, 4)),
    'sanacontrol': lambda o: _control('SanaControlNetModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'controlnet_cond': noise(o, 'cond', 2, 4, 8, 8), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24), 'timestep': torch.tensor([7, 301]), 'return_dict': False}, dict(in_channels=4, out_channels=4, num_attention_heads=4, attention_head_dim=12, num_layers=2, num_cross_attention_heads=4, cross_attention_head_dim=12, cross_attention_dim=48, caption_channels=24, sample_size=8), o),
    'superpoint': regressed('superpoint.SuperPointEncoder', 'SuperPointConfig', lambda o: {'input': noise(o, 'image', 2, 1, 32, 32)}, encoder_hidden_sizes=[8, 8, 16, 16]),
    })
