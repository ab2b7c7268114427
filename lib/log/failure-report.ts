import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode } from '../platform/error-code.ts';

/** The facts about a failure that may be logged. Contains no message, no path of a user and no content. */
export interface FailureReport {
  /** The class of the first cause in the chain, such as `SqliteError` or `TypeError`. */
  readonly errorClass: string;
  /** The code of the driver or the system, such as `SQLITE_FULL` or `ENOSPC`. */
  readonly systemCode?: string;
  /** The stack frames in the code of this program, as `file:line`, innermost first. Files are relative to the package. */
  readonly stack: readonly string[];
}

// The maximum number of causes. A chain of causes may be circular.
const MAX_CAUSES = 8;
const MAX_FRAMES = 10;

const STABLE_NAME = /^[A-Za-z0-9_]{1,64}$/;

/** Matches a file of the program (compiled, bundled or source) and the number of the line. */
const OWN_FILE =
  /^((?:dist\/)?(?:bundle|lib|handlers|local-runtime)\/[\w./-]+\.[jt]s):(\d+):\d+\)?$/;

/** Returns the facts about a thrown value. The code and the stack frames come from the first cause that has a value. */
export function toFailureReport(thrown: unknown): FailureReport {
  const causes = causesOf(thrown);
  const systemCode = causes.map(codeOf).find((code) => code !== undefined);
  return {
    errorClass: classOf(causes[0]),
    ...(systemCode === undefined ? {} : { systemCode }),
    stack: causes.map(ownFrames).find((frames) => frames.length > 0) ?? [],
  };
}

/** Returns the thrown value and all its causes. The first cause is the first item. */
export function causesOf(thrown: unknown): readonly unknown[] {
  const chain = [thrown];
  let last = thrown;
  while (last instanceof Error && last.cause !== undefined && chain.length < MAX_CAUSES) {
    last = last.cause;
    chain.unshift(last);
  }
  return chain;
}

function classOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const name = [thrown.name, thrown.constructor.name].find(isStableName);
  return name ?? 'Error';
}

function codeOf(thrown: unknown): string | undefined {
  const code = errorCode(thrown);
  return isStableName(code) ? code : undefined;
}

function isStableName(name: unknown): name is string {
  return typeof name === 'string' && STABLE_NAME.test(name);
}

function ownFrames(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  // Skips the message at the start of the stack, because the message may look like a stack frame.
  const afterMessage = thrown.stack.indexOf(thrown.message) + thrown.message.length;
  const lines = thrown.stack.slice(afterMessage).split('\n');
  return lines.flatMap((line) => ownFrame(line) ?? []).slice(0, MAX_FRAMES);
}

function ownFrame(line: string): string | undefined {
  for (const root of packageRoots()) {
    const start = line.indexOf(root);
    const match = start === -1 ? null : OWN_FILE.exec(line.slice(start + root.length));
    if (match) return `${match[1]}:${match[2]}`;
  }
  return undefined;
}

let roots: readonly string[] | undefined;

/** Returns the folder of the package in the two forms of stack frames: as a URL and as a path. */
function packageRoots(): readonly string[] {
  if (!roots) {
    const path = `${dirname(createRequire(import.meta.url).resolve('#package'))}/`;
    roots = [pathToFileURL(path).href, path];
  }
  return roots;
}
