import { describe, expect, it } from 'vitest';
import { negotiate } from '../../../lib/generation/negotiate.ts';
import { refuseUnbuilt } from '../../../lib/generation/unbuilt.ts';
import { gptImage2, gptImage15 } from './capability-documents.ts';
import { requestOf } from './requests.ts';

describe('refuseUnbuilt', () => {
  it.each([['parameters.background', { parameters: { background: 'transparent' } }]])(
    'answers at %s what this version cannot do: %j',
    (field, sent) => {
      const request = requestOf(sent);

      expect(() => refuseUnbuilt(negotiate(request, gptImage2))).toThrow(
        expect.objectContaining({
          code: 'unsupported_capability',
          param: field,
          details: { field, reason: 'not_in_this_version' },
        }),
      );
    },
  );

  it.each([
    {},
    { parameters: { background: 'transparent' } },
    { output: { response_format: 'artifact', directory: 'a', filename: 'b', collision: 'suffix' } },
    { routing: { fallback_policy: 'on_error' } },
    { user: 'somebody', metadata: { a: 'b' } },
    { output: { metadata: 'sidecar_and_embedded', response_format: 'artifact' } },
  ])('lets %j pass', (sent) => {
    const request = requestOf(sent);

    expect(() => refuseUnbuilt(negotiate(request, gptImage15))).not.toThrow();
  });
});
