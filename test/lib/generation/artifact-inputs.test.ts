import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import type { RunningGeneration } from '../../../lib/generation/generation.ts';
import { replyWith } from '../../support/scripted-provider.ts';
import { anything } from './capability-documents.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { image } from './images.ts';
import { inlineImage, requestOf } from './requests.ts';

let rig: GenerationRig;
let png: Buffer;

beforeEach(async () => {
  png = await image();
  await open(anything);
});
afterEach(() => rig.close());

async function open(capabilities: CapabilityDocument): Promise<void> {
  rig = await openGenerationRig({ reply: replyWith(png) }, capabilities);
}

function run(sent: object, scope = 'mine'): RunningGeneration {
  return rig.run(requestOf(sent), { ...rig.newContext(), scope });
}

/** The id of an image that was made for `mine`. */
async function makeArtifact(): Promise<string> {
  const { response, publications } = await run({ output: { response_format: 'artifact' } }).result;
  await rig.artifacts.publisher.commit(publications);
  const [made] = response.data;
  if (made?.type !== 'artifact') throw new Error('no artifact');
  return made.id;
}

const editOf = (...ids: readonly string[]) => ({
  operation: 'edit',
  images: ids.map((artifact_id) => ({ type: 'artifact', artifact_id })),
});

describe('createGeneration, with artifacts as inputs', () => {
  it('edits an artifact that it has made, in whichever field the request names it', async () => {
    const id = await makeArtifact();
    const reference = { type: 'artifact', artifact_id: id };

    await run({ ...editOf(id), reference_images: [reference] }).result;

    const { images, references } = rig.provider.calls.at(-1)?.request ?? {};
    expect(images).toEqual([expect.objectContaining({ bytes: png, mediaType: 'image/png' })]);
    expect(references).toEqual([expect.objectContaining({ bytes: png })]);
  });

  it.each([
    ['another scope', 'theirs', (id: string) => id],
    ['unknown', 'mine', () => '0'.repeat(32)],
    ['no artifact at all', 'mine', () => '../a.png'],
    ['nothing', 'mine', () => ''],
  ])('treats the id of an image of %s as unknown', async (_, scope, toId) => {
    const id = toId(await makeArtifact());
    const sent = editOf(id);
    const before = rig.provider.calls.length;

    const { result } = run({ ...sent, images: [inlineImage(png), ...sent.images] }, scope);

    await expect(result).rejects.toMatchObject({
      code: 'input',
      param: 'images[1]',
      details: { field: 'images[1]', reason: 'unknown_artifact' },
    });
    expect(rig.provider.calls).toHaveLength(before);
  });

  it('treats an image as unknown until it is committed', async () => {
    const { response } = await run({ output: { response_format: 'artifact' } }).result;
    const [made] = response.data;

    const { result } = run(editOf(made?.type === 'artifact' ? made.id : ''));

    await expect(result).rejects.toMatchObject({ details: { reason: 'unknown_artifact' } });
  });

  it('compares a declared media type with the bytes', async () => {
    const [input] = editOf(await makeArtifact()).images;

    const { result } = run({
      operation: 'edit',
      images: [{ ...input, media_type: 'image/webp' }],
    });

    await expect(result).rejects.toMatchObject({
      code: 'input',
      param: 'images[0]',
      details: { reason: 'media_type_mismatch' },
    });
  });

  it('checks the limits of a model once the size is known, before the provider is called', async () => {
    await rig.close();
    const limits = {
      max_bytes_each: png.length - 1,
      max_bytes_total: png.length,
      max_pixels: 1e8,
      max_request_pixels: 1e9,
    };
    await open({ ...anything, edit_images: { ...anything.edit_images, ...limits } });
    const id = await makeArtifact();

    const { result } = run(editOf(id));

    await expect(result).rejects.toMatchObject({
      code: 'unsupported_capability',
      param: 'images',
    });
    expect(rig.provider.calls).toHaveLength(1);
  });
});
