import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ArtifactRig, openArtifactRig } from './artifact-rig.ts';

// Set PUBLICATION_KILLS=200 for a long run.
const KILLS = Number(process.env['PUBLICATION_KILLS'] ?? 10);
// Longer than a publication takes.
const LONGEST_LIFE_MS = 60;

const PROGRAM = fileURLToPath(
  new URL('../../../dist/test/support/publication-crash.js', import.meta.url),
);

const FOREIGN: Readonly<Record<string, string>> = {
  'notes.txt': 'not an image',
  'loop-2.png': 'an image of another program',
  'deep/loop.png': 'another one',
  'deep/loop-4.json': 'a sidecar of another program',
};

let rig: ArtifactRig;
let checksums: Map<string, string>;

beforeEach(async () => {
  rig = await openArtifactRig();
  checksums = new Map();
  await mkdir(join(rig.root, 'deep'), { recursive: true });
  for (const [name, content] of Object.entries(FOREIGN)) {
    await writeFile(join(rig.root, name), content);
  }
  await symlink(join(rig.root, 'notes.txt'), join(rig.root, 'loop-3.png'));
});
afterEach(() => rig.close());

/** Images and sidecars of the artifact table, and the files on disk except the foreign ones; both with their checksums. */
async function inventory() {
  const rows = await rig.state.listArtifactFiles();
  const ours = (await rig.names()).filter(
    (name) => !Object.hasOwn(FOREIGN, name) && name !== 'loop-3.png',
  );
  const files: (readonly [string, string, string])[] = [];
  for (const name of ours) files.push([name, 'published', await checksum(name)]);
  return { rows, files };
}

/** Hashes each file once, so that the check after the last of many kills takes no longer than after the first. */
async function checksum(name: string): Promise<string> {
  const { mtimeMs, size } = await stat(join(rig.root, name));
  const state = `${name} ${mtimeMs} ${size}`;
  const bytes = checksums.has(state) ? undefined : await readFile(join(rig.root, name));
  if (bytes !== undefined) checksums.set(state, createHash('sha256').update(bytes).digest('hex'));
  return checksums.get(state) ?? '';
}

async function foreign(): Promise<Record<string, string>> {
  const names = Object.keys(FOREIGN);
  const contents = await Promise.all(names.map((name) => readFile(join(rig.root, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']));
}

describe('a publication', () => {
  test(
    `killed ${KILLS} times at random moments leaves no half file, no row without its file, no file without its row`,
    async () => {
      let published: readonly (readonly [string, string, string])[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const child = spawn(process.execPath, [PROGRAM, rig.directory, rig.root], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        await once(child.stdout, 'data');
        // A random wait is right here: the moment of the kill must not depend on anything that the program does.
        await wait(randomInt(LONGEST_LIFE_MS));
        child.kill('SIGKILL');
        const [, signal] = await ended;

        await rig.recover();

        const { rows, files } = await inventory();
        expect(signal).toBe('SIGKILL');
        expect(rows).toEqual(files);
        expect(await foreign()).toEqual(FOREIGN);
        expect(await readlink(join(rig.root, 'loop-3.png'))).toBe(join(rig.root, 'notes.txt'));
        published = files;
      }
      const sidecars = published.filter(([name]) => name.endsWith('.json'));
      expect(sidecars.length).toBeGreaterThan(0);
      expect(published.length).toBeGreaterThan(sidecars.length);
    },
    30_000 + KILLS * 3_000,
  );

  test('that reaches the file size limit is an artifact error and leaves nothing', async () => {
    // The kernel limits files to 1 MiB (in 512-byte blocks), which has the effect of a full disk for every user.
    const command = 'ulimit -f 2048; exec "$@"';
    const program = [process.execPath, PROGRAM, rig.directory, rig.root, '20000000'];
    const child = spawn('sh', ['-c', command, 'sh', ...program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });

    const said = await text(child.stdout);

    expect(said).toContain('"code":"artifact"');
    expect(said).not.toContain(rig.directory);
    await rig.recover();
    const { rows, files } = await inventory();
    expect(rows).toEqual(files);
  });
});
