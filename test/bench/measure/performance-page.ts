import { readFileSync, writeFileSync } from 'node:fs';

// This file runs compiled, from below `dist`.
const PAGE = new URL('../../../../docs/performance.md', import.meta.url);
const TABLE = /(<!-- table -->\n).*(<!-- end of table -->)/s;

/** Replaces the table on the performance page with the lines that a run has printed. */
export function writePerformancePage(lines: readonly string[]): void {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, (_all, start, end) => `${start}${lines.join('\n')}\n${end}`),
  );
}
