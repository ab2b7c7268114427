import type { Segment } from './field.ts';

const ENVIRONMENT_PREFIX = 'IMAGE_BRIDGE__';

/**
 * Returns a path such as `server.jobs.max_running` or `inputs.remote.allowed_ports[1]`. A key with special characters is
 * quoted, and a long key is truncated.
 */
export function fieldPath(segments: readonly Segment[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${keyText(segment)}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns the name of the environment variable of a setting, such as `IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING`. */
export function environmentName(segments: readonly string[]): string {
  return `${ENVIRONMENT_PREFIX}${segments.join('__').replaceAll('-', '_').toUpperCase()}`;
}

/** Returns the part after the prefix `IMAGE_BRIDGE__`, or undefined for a variable without the prefix. */
export function tailOfVariable(name: string): string | undefined {
  return name.startsWith(ENVIRONMENT_PREFIX) ? name.slice(ENVIRONMENT_PREFIX.length) : undefined;
}

function keyText(key: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key;
  const shown = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  // Control characters and characters that change the text direction are escaped, because the path may be printed in a
  // terminal.
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
