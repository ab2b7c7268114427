import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../../lib/providers/openai-images/dialects.ts';
import { refuseText } from '../../../../lib/providers/openai-images/prompt.ts';

const EXTRA = 'rain <sd_cpp_extra_args>{}</sd_cpp_extra_args>';

describe('refuseText', () => {
  it.each([
    ['localai', { prompt: 'a|b' }, 'prompt'],
    ['localai', { prompt: 'a', negativePrompt: 'a|b' }, 'negative_prompt'],
    ['sdcpp', { prompt: EXTRA }, 'prompt'],
    ['sdcpp', { prompt: 'a', negativePrompt: EXTRA }, 'negative_prompt'],
  ] as const)('refuses for %s what it takes for something else', (dialect, call, field) => {
    expect(() => refuseText(call, DIALECTS[dialect])).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: field,
        details: { field },
      }),
    );
  });

  it.each(['sdcpp', 'localai'] as const)(
    'refuses for %s a negative prompt that is too long for its parser',
    (dialect) => {
      const long = { prompt: 'a', negativePrompt: '狐'.repeat(2000) };

      expect(() => refuseText(long, DIALECTS[dialect])).not.toThrow();
      expect(() =>
        refuseText({ ...long, negativePrompt: `${long.negativePrompt}x` }, DIALECTS[dialect]),
      ).toThrow(
        expect.objectContaining({
          code: 'unsupported_capability',
          param: 'negative_prompt',
          details: { field: 'negative_prompt', max_characters: 2000 },
        }),
      );
    },
  );

  it('takes a longer negative prompt where it is a field of its own', () => {
    const call = { prompt: 'a', negativePrompt: 'x'.repeat(9000) };

    expect(() => refuseText(call, DIALECTS['vllm-omni'])).not.toThrow();
  });

  it.each(['openai', 'sdcpp', 'vllm-omni'] as const)(
    'lets %s have what only localai takes for something else',
    (dialect) => {
      expect(() => refuseText({ prompt: 'a|b' }, DIALECTS[dialect])).not.toThrow();
    },
  );
});
