import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inParts } from '../../../../lib/images/image.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import {
  type ArtifactRig,
  imageOf,
  noAbort,
  openArtifactRig,
} from '../../../lib/artifacts/artifact-rig.ts';
import { fromPixels, textured } from '../../../lib/images/sample-images.ts';
import { runCommand } from '../../../support/run-command.ts';
import { slices } from '../../../support/slices.ts';

const LIMITS = {
  max_encoded_bytes: 1_000_000,
  max_edge: 100,
  max_pixels: 10_000,
  max_decode_ms: 10_000,
};

let rig: ArtifactRig;
let stdout: string;
let stderr: string;

beforeEach(async () => {
  rig = await openArtifactRig();
  stdout = '';
  stderr = '';
});
afterEach(() => rig.close());

async function run(...argv: string[]): Promise<number> {
  const ended = await runCommand(['artifacts', ...argv], { cwd: rig.directory });
  stdout += ended.stdout;
  stderr += ended.stderr;
  return ended.exitCode;
}

function verify(...argv: string[]): Promise<number> {
  return run(
    'verify',
    ...argv,
    ...['--set', `state.directory=${rig.directory}`, '--set', `artifacts.root=${rig.root}`],
  );
}

/** Two artifacts of 20 by 10 pixels. */
async function publishTwo() {
  const engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  const inspection = await engine.inspect(
    await fromPixels(textured(20, 10)).png().toBuffer(),
    noAbort,
  );
  await engine.close();
  if (!inspection.ok) throw new Error(inspection.fault);
  const { image } = inspection;
  const records = [];
  for (const filename of ['a', 'b']) {
    const target = { filename, collision: 'error' } as const;
    const publications = await rig.publisher.publish(
      'scope',
      [{ image: inParts(image) }],
      target,
      noAbort,
    );
    await rig.publisher.commit(publications);
    records.push(...publications.map(({ record }) => record));
  }
  return { records, bytes: 2 * image.bytes.byteLength };
}

describe('artifacts verify', () => {
  it('accepts valid artifacts, while a bridge has the database open', async () => {
    const { bytes } = await publishTwo();

    const code = await verify();

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `Checked 2 artifacts (${bytes} bytes) and 0 sidecars.\nChecked 0 input images of jobs.\nAll images are unchanged.\n`,
    );
  });

  it('prints each problem with its id and portable name', async () => {
    const { records } = await publishTwo();
    await rm(join(rig.root, 'a.png'));

    const code = await verify();

    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain(`missing: ${records[0]?.id} a.png\n`);
    expect(stdout).toContain('Problems: 1.\n');
    expect(stdout).not.toContain(rig.directory);
  });

  it('prints problems as one JSON object', async () => {
    const { records, bytes } = await publishTwo();
    for (const name of ['a.png', 'b.png']) await rm(join(rig.root, name));

    const code = await verify('--json');

    const { problems, ...rest } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(rest).toEqual({ ok: false, artifacts: 2, sidecars: 0, bytes, inputs: 0 });
    expect(new Set(problems.map(({ id }: { id: string }) => id))).toEqual(
      new Set(records.map(({ id }) => id)),
    );
    expect(problems[0]).toMatchObject({ problem: 'missing' });
  });

  it('verifies with the limits of the configuration', async () => {
    await publishTwo();

    const code = await verify('--set', 'images.max_edge=16');

    expect(code).toBe(1);
    expect(stdout).toContain('undecodable (edge_too_long): ');
  });

  it('removes control characters from stored names', async () => {
    const target = { filename: 'a', collision: 'error' } as const;
    const image = imageOf('no image');
    await rig.publisher.commit(await rig.publisher.publish('s', [{ image }], target, noAbort));
    await rig.state.renameArtifacts('\u001b[2J');

    await verify();

    expect(stdout).toContain('unreadable: ');
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    [[], 'All images are unchanged.\n'],
    [['--json'], '{"problems":[\n],"ok":true,"artifacts":0,"sidecars":0,"bytes":0,"inputs":0}\n'],
  ])('succeeds without a state directory with %j, and creates none', async (options, said) => {
    const empty = join(rig.directory, 'empty');

    const code = await run('verify', ...options, '--set', `state.directory=${empty}`);

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(said);
    await expect(readdir(empty)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('changes neither a file nor the database', async () => {
    await publishTwo();
    await writeFile(join(rig.root, 'a.png'), 'changed');
    const before = [await rig.onDisk(), await readFile(join(rig.directory, 'bridge.sqlite'))];

    await verify();

    expect([await rig.onDisk(), await readFile(join(rig.directory, 'bridge.sqlite'))]).toEqual(
      before,
    );
  });

  it('reports in one sentence that the database cannot be read', async () => {
    await rig.stores.close();
    await writeFile(join(rig.directory, 'bridge.sqlite'), 'notes');

    const code = await verify('--json');

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^image-bridge: state\.directory: .*\n$/);
  });

  it.each([[[]], [['check']], [['verify', 'all']], [['verify', '--loud']], [['verify', '--set']]])(
    'prints its usage for %j',
    async (argv) => {
      const code = await run(...argv);

      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^usage: image-bridge artifacts (<command>[\s\S]*\n {2})?verify /);
    },
  );

  it('prints the problems of an invalid configuration', async () => {
    const code = await verify('--set', 'images.max_edge=0');

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('images.max_edge');
  });
});
