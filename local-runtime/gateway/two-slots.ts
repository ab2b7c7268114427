import type { Slot } from './coordination-file.ts';

/** Why these are not two slots, where `named` is what tells them apart, as an option names it; undefined when they are. */
export function sameSlots(
  { blue, green }: Readonly<Record<Slot, string>>,
  named: '' | '-service',
): string | undefined {
  if (blue !== green) return undefined;
  const what = named === '' ? 'address' : 'service';
  return `--blue${named} and --green${named} are the same ${what}: the slots must be two`;
}
