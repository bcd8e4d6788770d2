# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures that people export: torchvision's and timm's as they are, those of transformers small, all with random weights.

    NAMES                                  every name, as tv_resnet18, timm_levit_128s, hf_Llama
    module, inputs = build("hf_Llama")     in evaluation mode; inputs are tensors, by position

Needs torch, torchvision, timm and transformers (export.py).
"""
import torch

TORCHVISION = """alexnet resnet18 resnext50_32x4d densenet121 squeezenet1_1 googlenet inception_v3 mnasnet0_5 mobilenet_v2 mobilenet_v3_small
    shufflenet_v2_x0_5 efficientnet_b0 efficientnet_v2_s regnet_y_400mf convnext_tiny swin_t swin_v2_t vit_b_32 maxvit_t
    segmentation.fcn_resnet50 segmentation.deeplabv3_mobilenet_v3_large segmentation.lraspp_mobilenet_v3_large video.r3d_18 video.s3d
    detection.ssdlite320_mobilenet_v3_large detection.fasterrcnn_mobilenet_v3_large_320_fpn detection.retinanet_resnet50_fpn
    detection.fcos_resnet50_fpn detection.keypointrcnn_resnet50_fpn detection.maskrcnn_resnet50_fpn""".split()

TIMM = """bat_resnext26ts beit_base_patch16_224 botnet26t_256 caformer_s18 cait_xxs24_224 coat_tiny coatnet_nano_rw_224 convit_tiny
    convnextv2_atto crossvit_tiny_240 csatv2 cspresnet50 darknet53 davit_tiny deit_tiny_patch16_224 dm_nfnet_f0 dpn48b eca_nfnet_l0
    edgenext_xx_small efficientformer_l1 efficientvit_b0 efficientvit_m0 ese_vovnet19b_dw eva02_tiny_patch14_224 fastvit_t8
    focalnet_tiny_srf gcresnet33ts ghostnet_100 gmlp_s16_224 halonet26t hgnetv2_b0 hiera_tiny_224 hrnet_w18_small lambda_resnet26t lcnet_050
    levit_128s mambaout_femto maxvit_rmlp_pico_rw_256 mixer_s32_224 mobilenetv4_conv_small mobilenetv5_base mobileone_s0 mobilevit_xxs
    mobilevitv2_050 naflexvit_base_patch16_gap nest_tiny nfnet_f0 pit_ti_224 poolformer_s12 pvt_v2_b0 repghostnet_050 repvgg_a0
    res2net50_14w_8s resmlp_12_224 resnest14d rexnet_100 samvit_base_patch16 selecsls42 sequencer2d_s seresnet18 shvit_s1 skresnet18 starnet_s1
    swiftformer_xs swinv2_cr_tiny_224 tiny_vit_5m_224 tnt_s_legacy_patch16_224 tresnet_m twins_svt_small visformer_tiny vitamin_small_224
    volo_d1_224 vovnet39a xception41 xcit_nano_12_p16_224""".split()


def tokens(columns=12):
    return torch.randint(3, 90, (1, columns))


TEXT = {"input_ids": tokens}
MASKED = {**TEXT, "attention_mask": lambda: torch.tensor([[1] * 9 + [0] * 3])}
PAIR = {**TEXT, "decoder_input_ids": lambda: tokens(7)}


def image(size):
    return {"pixel_values": lambda: torch.randn(1, 3, size, size)}


def sound(samples):
    return {"input_values": lambda: torch.randn(1, samples)}


BASE = dict(vocab_size=96, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=64)
GROUPED = {**BASE, "num_key_value_heads": 2}
EXPERTS = {**GROUPED, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
           "shared_expert_intermediate_size": 32}
GPT = dict(vocab_size=96, n_embd=64, n_layer=2, n_head=4, n_positions=64)
SEQ = dict(vocab_size=96, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
           encoder_ffn_dim=96, decoder_ffn_dim=96, max_position_embeddings=64)
T5 = dict(vocab_size=96, d_model=64, d_kv=16, d_ff=96, num_layers=2, num_decoder_layers=2, num_heads=4)
VISION = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, image_size=32, patch_size=8)
SPEECH = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, conv_dim=(16, 16, 16), conv_kernel=(10, 3, 3),
              conv_stride=(5, 2, 2), num_feat_extract_layers=3, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)

# Class without its ending, the ending, inputs, and what the configuration has.
TRANSFORMERS = {}


def add(names, ending, inputs, sizes, **more):
    for name in names.split():
        TRANSFORMERS[name] = (ending, inputs, {**sizes, **more})


add("Bert MPNet Ernie RoFormer Nystromformer MegatronBert Splinter LayoutLM ConvBert RemBert IBert", "Model", MASKED, BASE)
add("Yoso FNet", "Model", TEXT, BASE)
add("Roberta Camembert XLMRoberta", "Model", MASKED, BASE, pad_token_id=1)
add("Esm", "Model", MASKED, BASE, pad_token_id=1, position_embedding_type="rotary")
add("Electra Albert", "Model", MASKED, BASE, embedding_size=32)
add("BigBird", "Model", MASKED, BASE, attention_type="original_full")
add("Deberta", "Model", MASKED, BASE, relative_attention=True, pos_att_type=["p2c", "c2p"], max_relative_positions=32)
add("DebertaV2", "Model", MASKED, BASE, relative_attention=True, pos_att_type=["p2c", "c2p"], max_relative_positions=32, position_buckets=16,
    share_att_key=True)
add("MobileBert", "Model", MASKED, BASE, intermediate_size=64, intra_bottleneck_size=32, embedding_size=32, true_hidden_size=32)
add("Longformer", "Model", MASKED, BASE, attention_window=8)
add("DistilBert", "Model", MASKED, dict(vocab_size=96, dim=64, n_layers=2, n_heads=4, hidden_dim=96, max_position_embeddings=64))
add("XLNet", "Model", MASKED, dict(vocab_size=96, d_model=64, n_layer=2, n_head=4, d_inner=96))
add("Funnel", "Model", MASKED, dict(vocab_size=96, d_model=64, n_head=4, d_head=16, d_inner=96, block_sizes=[1, 1, 1]))
add("GPT2", "LMHeadModel", MASKED, GPT)
add("GPTJ CodeGen", "ForCausalLM", MASKED, GPT, rotary_dim=8, n_ctx=64)
add("GPTNeo", "ForCausalLM", MASKED, BASE, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=8)
add("GPTNeoX Phi Persimmon", "ForCausalLM", MASKED, BASE)
add("Bloom", "ForCausalLM", MASKED, dict(vocab_size=96, hidden_size=64, n_layer=2, n_head=4))
add("Mpt", "ForCausalLM", MASKED, dict(vocab_size=96, d_model=64, n_layers=2, n_heads=4, max_seq_len=64))
add("OPT", "ForCausalLM", MASKED, BASE, ffn_dim=96, word_embed_proj_dim=64)
add("Llama Mistral Qwen2 Qwen3 StableLm Starcoder2 Olmo Olmo2 Cohere Granite Falcon Nemotron Exaone4 Arcee Ernie4_5 Lfm2 FalconH1 Apertus "
    "SeedOss", "ForCausalLM", MASKED, GROUPED)
add("Gemma Gemma2 Helium Ministral HunYuanDenseV1", "ForCausalLM", MASKED, GROUPED, head_dim=16)
add("Phi3", "ForCausalLM", MASKED, GROUPED, pad_token_id=0, bos_token_id=1, eos_token_id=2)
add("Glm SmolLM3", "ForCausalLM", MASKED, GROUPED, pad_token_id=0, head_dim=16)
add("Mixtral Qwen2Moe Qwen3Moe Olmoe GraniteMoe MiniMax", "ForCausalLM", MASKED, EXPERTS)
add("GptOss", "ForCausalLM", MASKED, EXPERTS, head_dim=16, layer_types=["sliding_attention", "full_attention"], sliding_window=8)
add("DeepseekV3", "ForCausalLM", MASKED, EXPERTS, num_key_value_heads=4, n_routed_experts=4, n_group=2, topk_group=1, first_k_dense_replace=1,
    q_lora_rank=32, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16, n_shared_experts=1)
add("Jamba Bamba", "ForCausalLM", TEXT, GROUPED)
add("Mamba", "ForCausalLM", TEXT, BASE, state_size=8)
add("Mamba2", "ForCausalLM", TEXT, BASE, state_size=8, num_heads=8, head_dim=16, chunk_size=8, n_groups=2)
add("Rwkv", "ForCausalLM", TEXT, BASE, attention_hidden_size=64)
add("RecurrentGemma", "ForCausalLM", TEXT, BASE, num_hidden_layers=3, lru_width=64, attention_window_size=16)
add("T5 MT5 UMT5 LongT5 SwitchTransformers", "Model", PAIR, T5)
add("Bart Pegasus MBart M2M100 Blenderbot PLBart", "Model", PAIR, SEQ)
add("Marian", "Model", PAIR, SEQ, pad_token_id=0)
add("BigBirdPegasus", "Model", PAIR, SEQ, attention_type="original_full")
add("LED", "Model", PAIR, SEQ, max_encoder_position_embeddings=64, max_decoder_position_embeddings=64, attention_window=8)
add("TrOCR", "ForCausalLM", TEXT, SEQ)
add("ViT DeiT Dinov2 SiglipVision CLIPVision ViTMSN Dinov2WithRegisters IJepa DINOv3ViT Beit Data2VecVision", "Model", image(32), VISION)
add("CLIP Blip", "Model", {**TEXT, **image(32)}, {}, text_config={**BASE, "encoder_hidden_size": 64}, vision_config=VISION, projection_dim=32)
add("OwlViT", "Model", {"input_ids": lambda: tokens(16), **image(32)}, {}, text_config=BASE, vision_config=VISION, projection_dim=32)
add("Siglip", "Model", {**TEXT, **image(32)}, {}, text_config=BASE, vision_config=VISION)
add("Segformer", "ForSemanticSegmentation", image(64), dict(hidden_sizes=[16, 32, 64, 64], depths=[1, 1, 1, 1], decoder_hidden_size=32))
add("MobileViT", "Model", image(64), dict(image_size=64))
add("Swin", "Model", image(64), dict(image_size=64, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4))
add("Swin2SR", "ForImageSuperResolution", image(32), dict(image_size=32, embed_dim=16, depths=[2], num_heads=[2], window_size=4))
add("ConvNext", "Model", image(64), dict(hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1]))
add("Detr TableTransformer", "Model", image(64), dict(d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None))
add("RTDetr DFine", "ForObjectDetection", image(160), dict(num_queries=20))
add("DPT", "ForDepthEstimation", image(64), VISION, num_hidden_layers=4, image_size=64, patch_size=16, backbone_out_indices=[0, 1, 2, 3],
    neck_hidden_sizes=[8, 16, 32, 32], fusion_hidden_size=16)
add("DepthAnything GLPN", "ForDepthEstimation", image(56), {})
add("SuperPoint", "ForKeypointDetection", image(64), {})
add("PoolFormer", "Model", image(64), {})
add("SamVision", "Model", image(64), VISION, image_size=64, window_size=3, global_attn_indexes=[1], output_channels=16)
add("VitDet", "Model", image(64), VISION, image_size=64, patch_size=16, window_size=3, window_block_indices=[0],
    use_relative_position_embeddings=True)
add("Wav2Vec2 Hubert WavLM UniSpeechSat", "Model", sound(1600), SPEECH)
add("SEW", "Model", sound(1600), SPEECH, squeeze_factor=2)
add("Data2VecAudio", "Model", sound(1600), SPEECH, num_conv_pos_embeddings=5)
add("Wav2Vec2Conformer", "Model", sound(1600), SPEECH, position_embeddings_type="relative")
add("Whisper", "Model", {"input_features": lambda: torch.randn(1, 20, 60), "decoder_input_ids": lambda: tokens(7)}, SEQ, num_mel_bins=20,
    max_source_positions=30, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
add("Speech2Text", "Model", {"input_features": lambda: torch.randn(1, 60, 20), "decoder_input_ids": lambda: tokens(7)}, SEQ,
    input_feat_per_channel=20, conv_channels=32, max_source_positions=60, max_target_positions=32)
add("AST", "Model", {"input_values": lambda: torch.randn(1, 40, 32)}, VISION, max_length=40, num_mel_bins=32)
add("Moonshine", "Model", {**sound(2000), "decoder_input_ids": lambda: tokens(5)}, dict(vocab_size=96, hidden_size=64, intermediate_size=96,
    encoder_num_hidden_layers=1, decoder_num_hidden_layers=1, encoder_num_attention_heads=4, decoder_num_attention_heads=4))
add("Encodec", "Model", {"input_values": lambda: torch.randn(1, 1, 1280)}, dict(num_filters=8, hidden_size=32, num_lstm_layers=1,
    codebook_size=32))
add("Dac", "Model", {"input_values": lambda: torch.randn(1, 1, 1024)}, dict(encoder_hidden_size=16, decoder_hidden_size=64,
    downsampling_ratios=[2, 4], upsampling_ratios=[4, 2], codebook_size=32, n_codebooks=3))
add("PatchTST", "Model", {"past_values": lambda: torch.randn(1, 32, 3)}, dict(num_input_channels=3, context_length=32, patch_length=4,
    patch_stride=4, d_model=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48))
add("PatchTSMixer", "Model", {"past_values": lambda: torch.randn(1, 32, 3)}, dict(num_input_channels=3, context_length=32, patch_length=4,
    patch_stride=4, d_model=32, num_layers=2))
add("Perceiver", "Model", {"inputs": lambda: torch.randn(1, 20, 32)}, dict(d_model=32, num_latents=8, d_latents=32, num_blocks=1,
    num_self_attends_per_block=2, num_self_attention_heads=4, num_cross_attention_heads=4))

NAMES = [*(f"tv_{name}" for name in TORCHVISION), *(f"timm_{name}" for name in TIMM), *(f"hf_{name}" for name in TRANSFORMERS)]


class Tensors(torch.nn.Module):
    """What `call(module, …)` gives, as a tuple of its tensors."""

    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module, call

    def forward(self, *arguments):
        given = self.call(self.module, *arguments)
        if isinstance(given, torch.Tensor):
            return given
        return tuple(value for value in (given.values() if hasattr(given, "values") else given) if isinstance(value, torch.Tensor))


def of_torchvision(name):
    import torchvision.models as models
    *family, kind = name.split(".")
    make = getattr(getattr(models, family[0]) if family else models, kind)
    if family == ["detection"]:
        return Tensors(make(weights=None, weights_backbone=None), lambda module, x: module([x])[0]), (torch.rand(3, 128, 160),)
    if family == ["segmentation"]:
        return Tensors(make(weights=None, weights_backbone=None), lambda module, x: module(x)["out"]), (torch.randn(1, 3, 64, 64),)
    if family == ["video"]:
        size = 224 if kind == "s3d" else 64
        return make(weights=None), (torch.randn(1, 3, 16, size, size),)
    more = {"init_weights": False} if kind in ("googlenet", "inception_v3") else {}
    size = {"vit_b_32": 224, "maxvit_t": 224, "inception_v3": 96, "alexnet": 96}.get(kind, 64)
    return make(weights=None, **more), (torch.randn(1, 3, size, size),)


def of_timm(name):
    """At 96 by 96 where the architecture takes that."""
    import timm
    module = timm.create_model(name, pretrained=False).eval()
    channels, size = module.default_cfg["input_size"][:2]
    if not module.default_cfg.get("fixed_input_size", False):
        try:
            with torch.no_grad():
                module(torch.randn(1, channels, 96, 96))
            size = 96
        except (AssertionError, RuntimeError):
            pass
    return module, (torch.randn(1, channels, size, size),)


def of_transformers(name):
    import transformers
    ending, inputs, sizes = TRANSFORMERS[name]
    config = getattr(transformers, f"{name}Config")(**sizes)
    config.use_cache, config.return_dict = False, True
    if hasattr(config, "num_experts_per_tok"):
        config._experts_implementation = "batched_mm"
    for attention in ("sdpa", "eager"):
        config._attn_implementation = attention
        try:
            module = getattr(transformers, name + ending)(config)
            break
        except ValueError:
            if attention == "eager":
                raise
    return Tensors(module, lambda module, *given: module(**dict(zip(inputs, given)))), tuple(make() for make in inputs.values())


def build(name):
    torch.manual_seed(1)
    package, kind = name.split("_", 1)
    module, inputs = {"tv": of_torchvision, "timm": of_timm, "hf": of_transformers}[package](kind)
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    for key, buffer in module.named_buffers():  # normalisations that do something
        if key.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
        elif key.endswith("running_mean"):
            buffer.normal_(0, 0.1)
    return module.eval(), inputs
