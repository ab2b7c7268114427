import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../support/run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-background-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A red square in the middle of a background of 120 by 80 pixels. */
function square(background: string) {
  const subject = {
    create: { width: 40, height: 40, channels: 3, background: '#c02020' },
  } as const;
  return sharp({ create: { width: 120, height: 80, channels: 3, background } }).composite([
    { input: subject },
  ]);
}

function background(...argv: string[]) {
  return runCommand(['background', ...argv], { cwd: folder });
}

/** The four channels of one pixel. */
async function pixel(name: string, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(await readFile(join(folder, name)))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

describe('background', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'makes the background of a %s transparent',
    async (format) => {
      await square('#20c040').toFormat(format, { quality: 95 }).toFile(join(folder, 'in'));

      const result = await background('in', '-o', 'out.png');

      expect(result).toMatchObject({ exitCode: 0, stdout: 'out.png\n' });
      expect(result.stderr).toMatch(
        /^Made the background #[12][0-9a-f][bc][0-9a-f]4[0-9a-f] transparent/,
      );
      expect((await pixel('out.png', 2, 2))[3]).toBe(0);
      expect((await pixel('out.png', 60, 40))[3]).toBe(255);
    },
  );

  it('writes WebP if the output file ends in .webp', async () => {
    await square('#ffffff').png().toFile(join(folder, 'in.png'));

    await background('in.png', '-o', 'out.WEBP');

    expect((await sharp(await readFile(join(folder, 'out.WEBP'))).metadata()).format).toBe('webp');
  });

  it('removes the colour given with --color', async () => {
    await square('#20c040').png().toFile(join(folder, 'in.png'));

    await background('in.png', '-o', 'out.png', '--color', '#c02020');

    expect((await pixel('out.png', 2, 2))[3]).toBe(255);
    expect((await pixel('out.png', 60, 40))[3]).toBe(0);
  });

  it('never overwrites a file without --force', async () => {
    await square('#20c040').png().toFile(join(folder, 'in.png'));
    await writeFile(join(folder, 'out.png'), 'precious');

    const refused = await background('in.png', '-o', 'out.png');
    const kept = await readFile(join(folder, 'out.png'), 'utf8');
    const forced = await background('in.png', '-o', 'out.png', '--force');

    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--force') });
    expect(kept).toBe('precious');
    expect(forced.exitCode).toBe(0);
    expect((await pixel('out.png', 2, 2))[3]).toBe(0);
    expect((await readdir(folder)).sort()).toEqual(['in.png', 'out.png']);
  });

  it.each([
    ['is missing', [], 'in.png cannot be read'],
    ['is no image', ['text'], 'in.png is not a valid image (unsupported_format)'],
    ['has one colour alone', ['flat'], 'in.png contains only #20c040'],
    ['has no flat background', ['noise'], 'in.png has no flat background'],
  ])('rejects a file that %s', async (_, [kind], message) => {
    const path = join(folder, 'in.png');
    const flat = { width: 30, height: 20, channels: 3, background: '#20c040' } as const;
    if (kind === 'text') await writeFile(path, 'a letter '.repeat(20));
    if (kind === 'flat') await sharp({ create: flat }).png().toFile(path);
    if (kind === 'noise') {
      const data = Buffer.from(Array.from({ length: 1800 }, (_, at) => (at * 7919) % 251));
      await sharp(data, { raw: { width: 30, height: 20, channels: 3 } })
        .png()
        .toFile(path);
    }

    const result = await background('in.png', '-o', 'out.png');

    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
    expect(await readdir(folder)).not.toContain('out.png');
  });

  it.each([
    [['-o', 'out.jpg'], 'must end in .png or .webp'],
    [['-o', 'out.png', '--color', 'green'], 'must have the form #RRGGBB'],
    [[], "required option '-o, --output <file>' not specified"],
  ])('rejects the options %j', async (argv, message) => {
    const result = await background('in.png', ...argv);

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  it('reports an output file that cannot be written', async () => {
    await square('#20c040').png().toFile(join(folder, 'in.png'));

    const result = await background('in.png', '-o', 'none/out.png');

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: 'image-bridge: none/out.png cannot be written: no such file or folder\n',
    });
  });
});
