import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../conformance/sources.ts';
import { runTool } from '../support/outside-tools.ts';
import { cleanUp, freshFolder } from '../support/start-bridge.ts';

afterAll(cleanUp);

const IMAGE = 'registry.example/image-bridge';

let folder: string;
let clone: string;

/** A `docker` that writes down what it is asked, and whose registry has what `pushed` names. */
const DOCKER = `#!/bin/sh
[ "$1 $2" = "manifest inspect" ] && {
  [ -e "$FOLDER/offline" ] && { echo "connection refused"; exit 1; }
  grep -qx "$3" "$FOLDER/pushed" && exit 0
  echo "no such manifest: $3"; exit 1
}
echo "$*" >> "$FOLDER/asked"
[ "$1" = push ] && echo "$2" >> "$FOLDER/pushed"
exit 0
`;

async function git(...argv: readonly string[]): Promise<void> {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example'];
  expect(await runTool('git', [...author, ...argv], clone)).toMatchObject({ code: 0 });
}

/** Sets the version and its section of the changelog, and commits both. */
async function prepare(version: string): Promise<void> {
  await writeFile(join(clone, 'package.json'), JSON.stringify({ version }));
  await writeFile(join(clone, 'CHANGELOG.md'), `## [${version}]\n`);
  await git('commit', '--quiet', '--all', '--message', version);
}

function release() {
  const env = [`PATH=${folder}/bin:${process.env['PATH']}`, `FOLDER=${folder}`];
  const author = ['GIT_COMMITTER_NAME=a', 'GIT_COMMITTER_EMAIL=a@example'];
  return runTool('env', [...env, ...author, '.ci/release', IMAGE], clone);
}

const asked = () => readFile(join(folder, 'asked'), 'utf8').catch(() => '');

beforeEach(async () => {
  folder = await freshFolder();
  clone = join(folder, 'clone');
  await runTool('git', ['init', '--quiet', '--bare', join(folder, 'origin')]);
  await runTool('git', ['clone', '--quiet', join(folder, 'origin'), clone]);
  for (const file of ['.ci/release', 'package.json', 'CHANGELOG.md']) {
    await mkdir(dirname(join(clone, file)), { recursive: true });
    await copyFile(join(ROOT, file), join(clone, file));
  }
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/docker'), DOCKER, { mode: 0o755 });
  await writeFile(join(folder, 'pushed'), '');
  await git('add', '.');
  await prepare('1.2.0');
});

describe('a release', () => {
  it('tags the commit, and pushes the image under its version and as latest', async () => {
    expect(await release()).toMatchObject({ code: 0 });

    expect(await asked()).toBe(
      `build --file infra/container/Dockerfile --tag ${IMAGE}:1.2.0 .
push ${IMAGE}:1.2.0
tag ${IMAGE}:1.2.0 ${IMAGE}:latest
push ${IMAGE}:latest
`,
    );
    const tags = await runTool('git', ['tag', '--list'], join(folder, 'origin'));
    expect(tags.output).toBe('v1.2.0\n');
  });

  it('of an older line leaves latest where it is', async () => {
    await release();
    await prepare('1.1.9');

    expect(await release()).toMatchObject({ code: 0 });

    expect(await asked()).toMatch(/push \S+:1\.1\.9\n$/);
  });

  it('after its candidates moves latest to itself', async () => {
    await prepare('1.2.0-rc.1');
    await release();
    await prepare('1.2.0');

    expect(await release()).toMatchObject({ code: 0 });

    expect(await asked()).toMatch(/push \S+:1\.2\.0\n.*\npush \S+:latest\n$/);
  });

  it('never replaces a version', async () => {
    await release();
    const before = await asked();
    const again = await release();
    await git('push', '--quiet', '--delete', 'origin', 'v1.2.0');
    await git('tag', '--delete', 'v1.2.0');
    const withoutTag = await release();

    expect([again.code, again.output]).toEqual([
      1,
      'not released: the tag v1.2.0 exists: raise the version\n',
    ]);
    expect(withoutTag.output).toBe(`not released: ${IMAGE}:1.2.0 exists: raise the version\n`);
    expect(await asked()).toBe(before);
  });

  it.each([
    ['a change that is not committed', 'there are changes that are not committed', 'package.json'],
    ['a registry that does not reply', 'the registry does not reply', '../offline'],
  ])('is refused for %s', async (_what, reason, file) => {
    await writeFile(join(clone, file), '{"version": "1.2.0" }');

    const refused = await release();

    expect([refused.code, await asked()]).toEqual([1, '']);
    expect(refused.output).toContain(`not released: ${reason}`);
  });

  it('is refused without a section of the changelog', async () => {
    await writeFile(join(clone, 'CHANGELOG.md'), '## [Unreleased]\n');
    await git('commit', '--quiet', '--all', '--message', 'no section');

    expect((await release()).output).toContain('CHANGELOG.md has no section [1.2.0]');
    expect(await asked()).toBe('');
  });
});
