import { describe, expect, test } from 'vitest';
import { plannedCredentials } from '../../../../lib/generation/plan/planned-credentials.ts';
import { createScriptedProvider } from '../../../support/scripted-provider.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { flat, hinted, maskOf } from '../masked-images.ts';
import { planOf } from '../plans.ts';
import { inlineImage, requestOf } from '../requests.ts';

const onlyPng = { ...anything, output_formats: ['png' as const] };

async function putBack() {
  const mask = await maskOf({ width: 48, height: 32 }, () => 0);
  const images = [inlineImage(await flat(48, 32, '#102030', 'png'))];
  const request = requestOf({ operation: 'edit', images, mask: inlineImage(mask) });
  const provider = createScriptedProvider({ capabilities: hinted, maskForm: 'alpha' });
  return planOf(request, hinted, { provider, model: 'scripted-image' });
}

describe('plannedCredentials', () => {
  test.each<[string, () => Promise<ReturnType<typeof planOf>>, string, string]>([
    ['an unchanged image', async () => planOf(requestOf({})), 'would_keep', 'would_keep'],
    [
      'an image with an embedded record',
      async () => planOf(requestOf({ output: { metadata: 'embedded' } })),
      'would_keep',
      'would_resign',
    ],
    [
      'an image with a sidecar',
      async () =>
        planOf(requestOf({ output: { metadata: 'sidecar', response_format: 'artifact' } })),
      'would_keep',
      'would_keep',
    ],
    [
      'a converted image',
      async () =>
        planOf(
          requestOf({
            parameters: { output_format: 'webp' },
            policies: { compatibility: 'normalize' },
          }),
          onlyPng,
        ),
      'would_drop',
      'would_resign',
    ],
    [
      'an image whose background is removed',
      async () => planOf(requestOf({ parameters: { background: 'transparent' } }), gptImage2),
      'would_drop',
      'would_resign',
    ],
    ['a composite with its source', putBack, 'would_drop', 'would_resign'],
  ])('credentials of %s would be treated as planned', async (_, plan, unsigned, signed) => {
    const planned = await plan();

    expect(plannedCredentials(planned, false)).toBe(unsigned);
    expect(plannedCredentials(planned, true)).toBe(signed);
  });
});
