import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../../lib/providers/openai-images/dialects.ts';
import { refuseReservedText } from '../../../../lib/providers/openai-images/prompt.ts';

const EXTRA = 'rain <sd_cpp_extra_args>{}</sd_cpp_extra_args>';

describe('refuseReservedText', () => {
  it.each([
    ['localai', { prompt: 'a|b' }, 'prompt'],
    ['localai', { prompt: 'a', negativePrompt: 'a|b' }, 'negative_prompt'],
    ['sdcpp', { prompt: EXTRA }, 'prompt'],
    ['sdcpp', { prompt: 'a', negativePrompt: EXTRA }, 'negative_prompt'],
  ] as const)('refuses for %s what it takes for something else', (dialect, call, field) => {
    expect(() => refuseReservedText(call, DIALECTS[dialect])).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: field,
        details: { field },
      }),
    );
  });

  it.each(['openai', 'sdcpp', 'vllm-omni'] as const)(
    'lets %s have what only localai takes for something else',
    (dialect) => {
      expect(() => refuseReservedText({ prompt: 'a|b' }, DIALECTS[dialect])).not.toThrow();
    },
  );
});
