import type { Segment } from './field.ts';

const ENVIRONMENT_PREFIX = 'IMAGE_BRIDGE__';

/** `server.jobs.max_running`, `inputs.remote.allowed_ports[1]`; a key that is not plain stands quoted, and cut when it is long. */
export function fieldPath(segments: readonly Segment[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${keyText(segment)}`))
    .join('')
    .replace(/^\./, '');
}

/** `IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING`. */
export function environmentName(segments: readonly string[]): string {
  return `${ENVIRONMENT_PREFIX}${segments.join('__').replaceAll('-', '_').toUpperCase()}`;
}

/** What follows the prefix in the name of a variable of ours; undefined for all other variables. */
export function tailOfVariable(name: string): string | undefined {
  return name.startsWith(ENVIRONMENT_PREFIX) ? name.slice(ENVIRONMENT_PREFIX.length) : undefined;
}

function keyText(key: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key;
  const shown = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  // What a terminal would obey or reorder is shown as its code.
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
