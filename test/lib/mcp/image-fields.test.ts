import { describe, expect, it } from 'vitest';
import { readInputs } from '../../../lib/mcp/image-fields.ts';

const MIB = 1024 * 1024;

describe('readInputs', () => {
  it('keeps the images of each field in order', async () => {
    const readFile = async (path: string) => Buffer.from(path);
    const id = '0123456789abcdef0123456789abcdef';

    const fields = await readInputs([['a.png', id], [], ['data:image/png;base64,AA==']], {
      readFile,
    });

    expect(fields).toEqual([
      [
        { type: 'base64', data: Buffer.from('a.png').toString('base64') },
        { type: 'artifact', artifact_id: id },
      ],
      [],
      [{ type: 'data_url', data_url: 'data:image/png;base64,AA==' }],
    ]);
  });

  it('reads one file at a time, and stops when the files together are too long', async () => {
    const file = Buffer.alloc(64 * MIB);
    const read: string[] = [];
    let reading = 0;
    const readFile = async (path: string) => {
      reading += 1;
      expect(reading).toBe(1);
      read.push(path);
      await Promise.resolve();
      reading -= 1;
      return file;
    };

    const inputs = readInputs([['1'], ['2'], ['3', '4', '5']], { readFile });

    await expect(inputs).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'the total size of the files exceeds 134217728 bytes',
    });
    expect(read).toEqual(['1', '2', '3']);
  });
});
