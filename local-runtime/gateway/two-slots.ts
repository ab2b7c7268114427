import type { Slot } from './coordination-file.ts';

/** What to say when both slots have the same address, or the same service (`-service`); undefined when they differ. */
export function sameSlots(
  { blue, green }: Readonly<Record<Slot, string>>,
  named: '' | '-service',
): string | undefined {
  if (blue !== green) return undefined;
  const what = named === '' ? 'address' : 'service';
  return `--blue${named} and --green${named} are the same ${what}: the slots must be two`;
}
