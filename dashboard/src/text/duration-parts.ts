const UNITS = [
  { unit: 'day', milliseconds: 86_400_000 },
  { unit: 'hour', milliseconds: 3_600_000 },
  { unit: 'minute', milliseconds: 60_000 },
  { unit: 'second', milliseconds: 1000 },
] as const;

interface DurationPart {
  readonly count: number;
  readonly unit: (typeof UNITS)[number]['unit'];
}

/** Milliseconds in the largest unit that they fill, and the rest in the next one if they fill that; else in seconds. */
export function toDurationParts(milliseconds: number): readonly DurationPart[] {
  const first = UNITS.findIndex((each) => milliseconds >= each.milliseconds);
  const largest = first === -1 ? UNITS.length - 1 : first;
  let left = milliseconds;
  return UNITS.slice(largest, largest + 2)
    .map((each) => {
      const count = Math.floor(left / each.milliseconds);
      left -= count * each.milliseconds;
      return { count, unit: each.unit };
    })
    .filter(({ count }, index) => index === 0 || count > 0);
}
