import { pythonServer } from './python-server.ts';

/** An older SGLang (multimodal_gen/runtime/entrypoints/openai/image_api.py). By default it returns a URL, JPEG and one seed. */
export const sglang = pythonServer({
  about: 'an older SGLang: by default a URL, JPEG and seed 1024; the prompt is echoed',
  models: ['Qwen/Qwen-Image'],
  maskPart: 'mask',
  defaults: { width: 1024, height: 1024, format: 'jpeg', responseFormat: 'url', seed: 1024 },
  check: () => undefined,
  replyMembers: (_call, ids) => ({ id: ids.newUuid(), inference_time_s: 0.01 }),
  itemMembers: ({ prompt }) => ({ revised_prompt: prompt, file_path: null }),
});
