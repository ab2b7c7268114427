import { readFileSync } from 'node:fs';

/** The number of files that are open without any request: databases, threads, the listener and child processes. */
const OWN_FILES = 64;

/**
 * Returns the maximum number of connections for `server.max_connections`. With `auto` the maximum is half of the number of
 * files that this process may still open, because work for a client may need a second connection, to its provider.
 */
export function toMaxConnections(
  setting: number | 'auto' | 'unlimited',
  openFiles: () => number | undefined = openFileLimit,
): number | 'unlimited' {
  if (setting !== 'auto') return setting;
  const files = openFiles();
  return files === undefined ? 'unlimited' : Math.max(1, Math.floor((files - OWN_FILES) / 2));
}

/** Returns the limit of open files, or undefined if there is no limit or it cannot be determined. */
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

/**
 * Reads the limit from Node's diagnostic report. Used only if faster sources fail, because creating the report takes some
 * milliseconds.
 */
function limitOfReport(): number | undefined {
  // Node's types lack both members. Without `excludeNetwork` the report resolves the host names of peers.
  const report: object = Object.assign(process.report, { excludeNetwork: true }).getReport();
  const { userLimits } = report as { readonly userLimits?: OpenFiles };
  return toNumber(userLimits?.open_files?.soft);
}

function toNumber(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
