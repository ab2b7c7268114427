import { readFileSync } from 'node:fs';

/** Files that the program has open without any request: databases, threads, its listener, its children. */
const OWN_FILES = 64;

/**
 * The number of connections for `server.max_connections`. With `auto` it follows from the files that this process may open:
 * work for a client may need a second connection, to its provider.
 */
export function toMaxConnections(
  setting: number | 'auto' | 'unlimited',
  openFiles: () => number | undefined = openFileLimit,
): number | 'unlimited' {
  if (setting !== 'auto') return setting;
  const files = openFiles();
  return files === undefined ? 'unlimited' : Math.max(1, Math.floor((files - OWN_FILES) / 2));
}

/** Undefined if there is no limit, or none that can be found out. */
function openFileLimit(): number | undefined {
  return limitOfLinux() ?? limitOfReport();
}

function limitOfLinux(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return toNumber(/^Max open files +(\S+)/m.exec(limits)?.[1]);
  } catch {
    return undefined;
  }
}

interface OpenFiles {
  readonly open_files?: { readonly soft?: unknown };
}

/** Takes some milliseconds, therefore second. */
function limitOfReport(): number | undefined {
  // Node's types know neither member; without the first, names of peers are looked up.
  const report: object = Object.assign(process.report, { excludeNetwork: true }).getReport();
  const { userLimits } = report as { readonly userLimits?: OpenFiles };
  return toNumber(userLimits?.open_files?.soft);
}

function toNumber(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
