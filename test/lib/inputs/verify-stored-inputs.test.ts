import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type InputProblem, verifyStoredInputs } from '../../../lib/inputs/verify-stored-inputs.ts';

const forever = new AbortController().signal;
const checksum = (content: string) => createHash('sha256').update(content).digest('hex');

/** Nine images, each named by its content, and the actual content of their files. */
async function verify(
  stored: Readonly<Record<string, string | undefined>>,
  { removed = [] as readonly string[], signal = forever } = {},
) {
  const contents = Array.from({ length: 9 }, (_, nth) => `image ${nth}`);
  const inputs = contents
    .map((content) => ({ sha256: checksum(content), bytes: content.length, content }))
    .sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
  const fileOf = (sha256: string) => {
    const content = inputs.find((input) => input.sha256 === sha256)?.content ?? '';
    return content in stored ? stored[content] : content;
  };
  const problems: InputProblem[] = [];
  const counts = await verifyStoredInputs(
    {
      list: async ({ after, limit }) =>
        inputs.filter(({ sha256 }) => sha256 > after).slice(0, limit),
      isNeeded: async (sha256) => !removed.some((content) => checksum(content) === sha256),
      files: {
        stamp: async (sha256) => fileOf(sha256),
        async readWhole(sha256, length) {
          const content = fileOf(sha256);
          return content?.length === length
            ? { bytes: Buffer.from(content), stamp: undefined }
            : undefined;
        },
      },
      engine: {
        async inspect(bytes, inspecting) {
          inspecting.throwIfAborted();
          if (!bytes.toString().startsWith('image')) return { ok: false, fault: 'corrupt' };
          const shape = { width: 1, height: 1, orientation: 1, alpha: 'none' } as const;
          const sha256 = checksum(bytes.toString());
          return { ok: true, image: { ...shape, bytes, sha256, format: 'png' } };
        },
      },
    },
    (problem) => problems.push(problem),
    signal,
  );
  return { counts, problems };
}

describe('verifyStoredInputs', () => {
  test('counts images that are unchanged', async () => {
    expect(await verify({})).toEqual({ counts: { inputs: 9, problems: 0 }, problems: [] });
  });

  test.each<[string, string | undefined, Omit<InputProblem, 'input'>]>([
    ['missing', undefined, { problem: 'missing' }],
    ['of another length', 'longer than before', { problem: 'resized' }],
    ['another image', 'image X', { problem: 'changed' }],
    ['no image', 'damaged', { problem: 'undecodable', fault: 'corrupt' }],
  ])('reports a file that is %s', async (_, content, problem) => {
    const { counts, problems } = await verify({ 'image 7': content });

    expect(problems).toEqual([{ input: checksum('image 7'), ...problem }]);
    expect(counts).toEqual({ inputs: 9, problems: 1 });
  });

  test('does not report an image that is removed meanwhile', async () => {
    const { problems } = await verify({ 'image 3': undefined }, { removed: ['image 3'] });

    expect(problems).toEqual([]);
  });

  test('stops when its signal aborts', async () => {
    const reason = new Error('enough');

    await expect(verify({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
