import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { userFolder } from '../../platform/home-folder.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

// Far larger than any real configuration. The limit prevents a wrong path from filling the memory.
const MAX_FILE_BYTES = 1_048_576;
const DEFAULT_FILE = 'image-bridge.toml';

/** A file to read, and the flag or variable that named the file. */
export interface ConfigFile {
  /** The absolute path. */
  readonly path: string;
  /** The path as the operator wrote it, such as `conf/bridge.toml`. */
  readonly givenPath: string;
  /** The flag `--config` or the variable `IMAGE_BRIDGE_CONFIG`. The name of the file if neither is set. */
  readonly namedBy: string;
  /** True if the file may be absent, because neither the flag nor the variable names the file. */
  readonly optional: boolean;
}

export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly message: string };

export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The value of `--config`. */
  readonly configFile?: string | undefined;
  /** True if the file in the user's configuration folder is ignored. */
  readonly ignoresUserFile?: boolean | undefined;
}

/**
 * Returns the candidate files. The first candidate that exists is read. If the flag or the variable names a file, this file is
 * the only candidate. Otherwise, the candidates are `./image-bridge.toml` and the file in the user's configuration folder.
 */
export function locateConfigFiles(places: Places): readonly ConfigFile[] {
  const { env, cwd, configFile } = places;
  const named = configFile ?? env['IMAGE_BRIDGE_CONFIG'];
  if (named === undefined) {
    const path = resolve(cwd, DEFAULT_FILE);
    const own = { path, givenPath: DEFAULT_FILE, namedBy: DEFAULT_FILE, optional: true };
    const users = places.ignoresUserFile ? undefined : userConfigFile(env);
    if (users === undefined) return [own];
    return [own, { path: users, givenPath: users, namedBy: users, optional: true }];
  }
  const namedBy = configFile === undefined ? 'IMAGE_BRIDGE_CONFIG' : '--config';
  const path = named === '' ? '' : resolve(cwd, named);
  return [{ path, givenPath: named, namedBy, optional: false }];
}

/** Returns the path of the configuration file that `setup` writes, or undefined if no variable locates the user's folder. */
export function userConfigFile(env: Places['env']): string | undefined {
  const home = env['HOME'] ?? '';
  if (home === '' && !isAbsolute(env['XDG_CONFIG_HOME'] ?? '')) return undefined;
  const folder = userFolder(env, 'XDG_CONFIG_HOME', { home, usual: ['.config'] });
  return join(folder, 'image-bridge', DEFAULT_FILE);
}

/** Reads a whole configuration file. */
export async function readConfigFile({ path, optional }: ConfigFile): Promise<FileReading> {
  const found = await readRegularFile(path, { maxBytes: MAX_FILE_BYTES });
  if ('bytes' in found) {
    return isUtf8(found.bytes)
      ? { kind: 'text', text: found.bytes.toString('utf8') }
      : unusable('must name a file in UTF-8');
  }
  if (found.problem === 'irregular') return unusable('must name a regular file');
  if (found.problem === 'too_large') return unusable('must name a file of at most 1 MiB');
  const code = errorCode(found.cause) ?? 'unknown';
  // A broken link is an error and does not count as an absent file.
  const isLink = await lstat(path).catch(() => undefined);
  if (optional && code === 'ENOENT' && !isLink) return { kind: 'absent' };
  return unusable(`must name a file that can be read (${code})`);
}

function unusable(message: string): FileReading {
  return { kind: 'unusable', message };
}
