import { describe, expect, it } from 'vitest';
import { refuseUnbuilt } from '../../../lib/generation/unbuilt.ts';
import { requestOf } from './requests.ts';

describe('refuseUnbuilt', () => {
  it.each([
    ['output.metadata', { output: { metadata: 'embedded' } }],
    ['output.metadata', { output: { metadata: 'sidecar', response_format: 'artifact' } }],
  ])('answers at %s what this version cannot do: %j', (field, sent) => {
    const request = requestOf(sent);

    expect(() => refuseUnbuilt(request)).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: field,
        details: { field, reason: 'not_in_this_version' },
      }),
    );
  });

  it.each([
    {},
    { parameters: { background: 'transparent' } },
    { output: { response_format: 'artifact', directory: 'a', filename: 'b', collision: 'suffix' } },
    { routing: { fallback_policy: 'on_error' } },
    { user: 'somebody', metadata: { a: 'b' } },
  ])('lets %j pass', (sent) => {
    const request = requestOf(sent);

    expect(() => refuseUnbuilt(request)).not.toThrow();
  });
});
