import { describe, expect, it } from 'vitest';
import { toFingerprintedRequest } from '../../../lib/generation/generation-request.ts';
import { identifyInputs } from '../../../lib/inputs/input-identities.ts';
import { toInputSources } from '../../../lib/inputs/to-input-sources.ts';
import { toFingerprint } from '../../../lib/platform/fingerprint.ts';
import { finish } from '../../support/finish.ts';
import { slices } from '../../support/slices.ts';
import { inlineBytes, requestOf, wireRequestOf } from './requests.ts';

describe('toGenerationRequest', () => {
  it('completes the parameters, and notes that no format was named', () => {
    const request = requestOf();

    expect(request.parameters.output_format).toBe('png');
    expect(request.formatNamed).toBe(false);
    expect(request.timeoutMs).toBeUndefined();
    expect(request.inputs).toEqual({ images: [], references: [] });
  });

  it.each(['png', 'jpeg', 'webp'])('notes that the format %s was named', (output_format) => {
    const request = requestOf({ parameters: { output_format } });

    expect(request.parameters.output_format).toBe(output_format);
    expect(request.formatNamed).toBe(true);
  });

  it('keeps the images unchanged', () => {
    const { inputs } = requestOf({ operation: 'edit', images: [inlineBytes(1)] });

    expect(inputs.images).toMatchObject([{ kind: 'inline', field: 'images[0]' }]);
  });

  it('keeps the timeout of the request', () => {
    expect(requestOf({ timeout_ms: 1234 }).timeoutMs).toBe(1234);
  });
});

const data = (text: string) => Buffer.from(text).toString('base64');
const artifact = (artifact_id: string) => ({ type: 'artifact', artifact_id });
const remote = (url: string) => ({ type: 'url', url });
const edit = { operation: 'edit', images: [{ type: 'base64', data: data('one') }] };

async function fingerprintOf(sent: object): Promise<string> {
  const request = wireRequestOf(sent);
  const inputs = finish(toInputSources(request, 1000));
  const identities = await identifyInputs(inputs, slices, new AbortController().signal);
  return toFingerprint('createImage', toFingerprintedRequest(request, inputs, identities));
}

describe('toFingerprintedRequest', () => {
  it.each<[string, object, object]>([
    ['the key', { idempotency_key: 'a' }, { idempotency_key: 'b' }],
    ['a default that is spelled out', {}, { parameters: { n: 1 }, output: {}, mask: null }],
    [
      'the form of an image',
      {
        operation: 'edit',
        images: [{ type: 'data_url', data_url: `data:image/png;base64,${data('one')}` }],
      },
      {
        operation: 'edit',
        images: [{ type: 'base64', data: data('one'), media_type: 'image/png' }],
      },
    ],
  ])('is the same, whatever %s', async (_, one, other) => {
    expect(await fingerprintOf(one)).toBe(await fingerprintOf(other));
  });

  it.each<[string, object, object]>([
    ['the prompt', {}, { prompt: 'another' }],
    ['the user', {}, { user: 'somebody' }],
    ['the metadata', {}, { metadata: { a: 'b' } }],
    ['the deadline', {}, { timeout_ms: 5 }],
    ['the session', {}, { session: { mode: 'persistent', key: 'a' } }],
    [
      'the key of the session',
      { session: { mode: 'persistent', key: 'a' } },
      { session: { mode: 'persistent', key: 'b' } },
    ],
    ['a named format', {}, { parameters: { output_format: 'png' } }],
    ['an image', edit, { ...edit, images: [{ type: 'base64', data: data('two') }] }],
    [
      'what an image is called',
      edit,
      { ...edit, images: [{ type: 'base64', data: data('one'), filename: 'a.png' }] },
    ],
    [
      'the id of an artifact',
      { ...edit, images: [artifact('a')] },
      { ...edit, images: [artifact('b')] },
    ],
    [
      'the address of an image',
      { ...edit, images: [remote('https://a.test/')] },
      { ...edit, images: [remote('https://a.test/?')] },
    ],
    [
      'the kind of an image',
      { ...edit, images: [artifact('https://a.test/')] },
      { ...edit, images: [remote('https://a.test/')] },
    ],
    [
      'what an artifact is said to be',
      { ...edit, images: [artifact('a')] },
      { ...edit, images: [{ ...artifact('a'), media_type: 'image/png' }] },
    ],
    ['a mask', edit, { ...edit, mask: { type: 'base64', data: data('one') } }],
    [
      'the index of an image',
      { ...edit, mask: { type: 'base64', data: data('two') } },
      { ...edit, reference_images: [{ type: 'base64', data: data('two') }] },
    ],
  ])('differs with %s', async (_, one, other) => {
    expect(await fingerprintOf(one)).not.toBe(await fingerprintOf(other));
  });

  it('contains no bytes of an image', () => {
    const request = wireRequestOf(edit);
    const inputs = finish(toInputSources(request, 1000));

    const it = toFingerprintedRequest(request, inputs, { images: ['a hash'], references: [] });

    expect(JSON.stringify(it)).not.toContain(data('one'));
  });
});
