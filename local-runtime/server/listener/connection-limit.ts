import { readFileSync } from 'node:fs';

/** The number of files that are open even without a request: for databases, threads, the listener and child processes. */
const OWN_FILES = 64;

/**
 * Returns the maximum number of connections for the setting `server.max_connections`. For `auto`, the maximum is half of the
 * number of files that this process may still open, because a request may need a second connection, to a provider.
 */
export function toMaxConnections(
  setting: number | 'auto' | 'unlimited',
  openFiles = () => limitOfLinux() ?? limitOfReport(),
): number | 'unlimited' {
  if (setting !== 'auto') return setting;
  const files = openFiles();
  return files === undefined ? 'unlimited' : Math.max(1, Math.floor((files - OWN_FILES) / 2));
}

/** Returns the maximum number of open files in Linux, or undefined if the number is unlimited or unknown. */
function limitOfLinux(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return toNumber(/^Max open files +(\S+)/m.exec(limits)?.[1]);
  } catch {
    return undefined;
  }
}

/**
 * Reads the limit from Node's diagnostic report. Used only if the faster source fails, because a report takes milliseconds. Returns
 * undefined if the report does not contain the limit.
 */
function limitOfReport(): number | undefined {
  // The types of Node do not contain these members. Without `excludeNetwork`, Node looks up the host names of all peers.
  const report: object = Object.assign(process.report, { excludeNetwork: true }).getReport();
  const { userLimits } = report as { userLimits?: { open_files?: { soft?: unknown } } };
  return toNumber(userLimits?.open_files?.soft);
}

function toNumber(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
