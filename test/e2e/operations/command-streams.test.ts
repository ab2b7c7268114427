import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { isInstalled } from '../../support/outside-tools.ts';
import { cleanUp, freshFolder, PROGRAM } from '../../support/start-bridge.ts';

const HAS_FULL_DEVICE = existsSync('/dev/full');
const HAS_SCRIPT = await isInstalled('script', ['--version']);

afterAll(cleanUp);

/** Runs a line of bash. `"$@"` in the line is the program. */
function runShell(line: string, cwd: string) {
  const argv = ['-c', line, 'bash', process.execPath, PROGRAM];
  const { status, stdout, stderr } = spawnSync('bash', argv, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Runs `setup` in a separate terminal, and presses a key at each of its questions. */
async function pressAtQuestions(key: string, home: string) {
  // The arguments are single words, so that no quotes are needed.
  const command = `env HOME=${home} OPENAI_API_KEY=x ${process.execPath} ${PROGRAM} setup`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: 'pipe' });
  let output = '';
  let pressed = 0;
  child.stdout.on('data', (chunk) => {
    output += chunk;
    const asked = output.match(/\[(Y\/n|y\/N)\]/g)?.length ?? 0;
    for (; pressed < asked; pressed += 1) child.stdin.write(key);
  });
  const [code] = await once(child, 'close');
  return { code, output };
}

describe.skipIf(!HAS_FULL_DEVICE)('standard output on a full disk', () => {
  it('is reported, and the command fails', async () => {
    const result = runShell('"$@" config show > /dev/full', await freshFolder());

    expect(result).toEqual({
      status: 1,
      stdout: '',
      stderr: 'image-bridge: standard output cannot be written (ENOSPC)\n',
    });
  });
});

describe('standard output that its reader closes', () => {
  it('is not an error', async () => {
    const result = runShell('"$@" config show | true; echo $PIPESTATUS', await freshFolder());

    expect(result).toEqual({ status: 0, stdout: '0\n', stderr: '' });
  });
});

describe.skipIf(!HAS_SCRIPT)('a question at a terminal', () => {
  it('is ended by Ctrl+C like any program, and nothing is changed', async () => {
    const home = await freshFolder();

    const { code, output } = await pressAtQuestions('\u0003', home);

    expect(code).toBe(130);
    expect(output).not.toContain('AbortError');
    expect(await readdir(home)).toEqual([]);
  });

  it('uses its default answer at Ctrl+D, which changes nothing', async () => {
    const home = await freshFolder();

    const { code, output } = await pressAtQuestions('\u0004', home);

    expect(code).toBe(1);
    expect(output).toContain('Nothing was changed.');
    expect(await readdir(home)).toEqual([]);
  });
});
