import { Refusal } from '../../upstream/refusal.ts';
import { pythonServer } from './python-server.ts';

/** vLLM-Omni (vllm_omni/entrypoints/openai/protocol/images.py). A size must be `WxH`, and a URL is rejected. */
export const vllmOmni = pythonServer({
  about: 'vLLM-Omni: any model, no size `auto`, a mask in `mask_image`',
  models: ['Qwen/Qwen-Image'],
  maskPart: 'mask_image',
  defaults: { width: 1024, height: 1024, format: 'png', responseFormat: 'b64_json' },
  check({ values: { size, response_format: form, n } }) {
    const isSize = size === undefined || (typeof size === 'string' && /^\d+x\d+$/.test(size));
    if (!isSize) throw wrong('size');
    if (form !== undefined && form !== 'b64_json' && form !== 'file')
      throw wrong('response_format');
    if (n !== undefined && !(typeof n === 'number' && n >= 1 && n <= 10)) throw wrong('n');
  },
  replyMembers: ({ format, width, height }) => ({
    output_format: format,
    size: `${width}x${height}`,
    metrics: null,
  }),
  itemMembers: () => ({ revised_prompt: null }),
});

function wrong(param: string): Refusal {
  return new Refusal({ status: 422, code: 'value_error', message: 'Value error', param });
}
