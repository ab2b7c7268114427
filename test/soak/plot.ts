import { median } from '../bench/measure/statistics.ts';
import type { Sample } from './samples.ts';

const WIDTH = 800;
const ROW = 110;
const LEFT = 60;
const TOP = 40;

const ROWS = [
  ['residentMb', 'resident memory, MiB'],
  ['descriptors', 'open descriptors'],
  ['walMb', 'write-ahead log, MiB'],
  ['stretchMs', 'longest computing turn of the event loop in a second, ms'],
  ['p50Ms', 'latency p50, ms'],
  ['p99Ms', 'latency p99, ms'],
] as const satisfies readonly (readonly [keyof Sample, string])[];

/** Draws one row per measured value over the minutes of the run, as SVG. */
export function plot(title: string, samples: readonly Sample[]): string {
  const end = samples.at(-1)?.minute ?? 1;
  const height = TOP + ROWS.length * ROW + 20;
  const rows = ROWS.map(([key, name], index) => {
    const values = samples.map((sample) => sample[key]);
    const most = Math.max(1, ...values);
    const bottom = TOP + index * ROW + ROW - 30;
    const points = samples.map(({ minute }, at) => {
      const x = LEFT + ((WIDTH - LEFT - 20) * minute) / end;
      const y = bottom - ((values[at] ?? 0) / most) * (ROW - 50);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return [
      text(LEFT, bottom - ROW + 42, `${name} (median ${median(values).toFixed(1)})`),
      text(4, bottom - ROW + 54, most.toFixed(most < 10 ? 1 : 0)),
      text(4, bottom, '0'),
      `<path d="M${LEFT} ${bottom}H${WIDTH - 20}" stroke="#999"/>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="#06c" stroke-width="1.5"/>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${text(LEFT, 20, title)}
${rows.join('\n')}
${text(LEFT, height - 8, `0 to ${end.toFixed(0)} minutes`)}
</svg>
`;
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x}" y="${y}" fill="#222">${content}</text>`;
}
