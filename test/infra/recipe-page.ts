import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshFolder, PROGRAM } from '../support/start-bridge.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = 'docs/recipes.md';
const HEADING = /^## (.+)$/;
const FENCE = /^```(\w*)$/;

export interface Block {
  /** The heading of the second level above it. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** Returns the fenced blocks of a page of the repository in their order. */
export async function readBlocks(path: string): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  let heading = '';
  let open: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of (await readFile(join(ROOT, path), 'utf8')).split('\n')) {
    const language = FENCE.exec(line)?.[1];
    if (open && language === '') {
      blocks.push({ heading, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (language !== undefined) open = { language, lines: [] };
    else heading = HEADING.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

/** Returns the blocks of the page of recipes below each of its headings. */
export async function readRecipes(): Promise<ReadonlyMap<string, readonly Block[]>> {
  return Map.groupBy(await readBlocks(PAGE), ({ heading }) => heading);
}

type Environment = Readonly<Record<string, string>>;

/** The end of a block. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which `npx image-bridge` is the compiled program and `openai` the official client. */
export async function userFolder(): Promise<string> {
  const folder = await freshFolder();
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'image-bridge'), `#!/bin/sh\nexec node '${PROGRAM}' "$@"\n`);
  await chmod(join(bin, 'image-bridge'), 0o755);
  await symlink(join(ROOT, 'node_modules/openai'), join(folder, 'node_modules/openai'));
  return folder;
}

/** Returns the environment of the user of such a folder, with the given variables. */
export function userEnvironment(folder: string, env: Environment): Environment {
  return {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    npm_config_update_notifier: 'false',
    ...env,
  };
}

/** Starts a block, each process of it in one group. */
export function startBlock({ language, text }: Block, folder: string, env: Environment) {
  const [command, ...argv] =
    language === 'js'
      ? [process.execPath, '--input-type=module', '--eval', text]
      : ['bash', '-euo', 'pipefail', '-c', text];
  const child = spawn(command ?? '', argv, {
    cwd: folder,
    env: userEnvironment(folder, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...output }));
  return {
    ended,
    /** Resolves with the match of a pattern in the output as soon as it is printed. Rejects if the block ends earlier. */
    printed: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        child.stdout.on('data', () => {
          const found = pattern.exec(output.stdout)?.[1];
          if (found !== undefined) resolve(found);
        });
        ended.then(({ stderr }) => reject(new Error(`it has ended: ${stderr}`)));
      }),
    /** Sends the signal to all of its processes, and resolves when they have ended. */
    async end(signal: NodeJS.Signals): Promise<void> {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, signal);
      await ended;
    },
  };
}
