import { CUT_IMAGES, type Cuts, type Latency } from './measures.ts';
import type { Peer } from './peers.ts';

/** All results of one peer. */
export interface Result {
  readonly peer: Pick<Peer, 'name' | 'version' | 'command'>;
  /** By the number of clients. */
  readonly latencies: readonly Latency[];
  readonly memoryMb: number;
  readonly upstreamCuts: Cuts;
  readonly clientCuts: Cuts;
  readonly wrong: { readonly delivered: number; readonly count: number };
  /** The share of protected pixels that were unchanged. Undefined if the edit failed. */
  readonly mask: number | undefined;
  readonly hasTransparency: boolean;
}

/** The results of all peers, with those of requests that are sent to the upstream directly. */
export interface Field {
  readonly clients: readonly number[];
  readonly direct: readonly Latency[];
  readonly results: readonly Result[];
  readonly machine: string;
  /** The load averages of the machine before and after the latencies were measured. */
  readonly loads: readonly [number, number];
  readonly day: string;
}

interface Row {
  readonly what: string;
  readonly cell: (result: Result) => string;
  /** A value by which the peers are compared. The lowest is the best. */
  readonly rank: (result: Result) => number;
  /** The reason if the bridge is not the best. */
  readonly reason?: string;
  readonly isShort?: true;
}

const DECODES =
  'The bridge checks the file and decodes every pixel of each image before it delivers the image. The peers pass the bytes on unread.';
const UNCHANGED = 1;

function rowsOf({ clients, direct }: Field): readonly Row[] {
  const added = (result: Result, at: number, key: 'p50Ms' | 'p99Ms') =>
    (result.latencies[at]?.[key] ?? Number.NaN) - (direct[at]?.[key] ?? Number.NaN);
  return [
    ...clients.flatMap((count, at) =>
      (['p50Ms', 'p99Ms'] as const).map((key) => ({
        what: `added latency, ${count} client${count === 1 ? '' : 's'}, ${key.slice(0, 3)}`,
        cell: (result: Result) => {
          const failed = result.latencies[at]?.failed ?? 0;
          const text = `${Math.round(added(result, at, key))} ms`;
          return failed === 0 ? text : `${text} (${failed} failed)`;
        },
        rank: (result: Result) => added(result, at, key),
        reason: DECODES,
        ...(key === 'p50Ms' && at < 2 ? { isShort: true as const } : {}),
      })),
    ),
    {
      what: 'resident memory after the load',
      cell: ({ memoryMb }) => `${Math.round(memoryMb)} MiB`,
      rank: ({ memoryMb }) => memoryMb,
      reason: 'The bridge has image libraries and a database in its process. The peer has neither.',
    },
    {
      what: 'images paid twice after the upstream cut its reply',
      cell: ({ upstreamCuts }) => `${upstreamCuts.twice} of ${upstreamCuts.made}`,
      rank: ({ upstreamCuts }) => upstreamCuts.twice / upstreamCuts.made,
      isShort: true,
    },
    {
      what: 'images paid twice after the client was cut off and sent its request again',
      cell: ({ clientCuts }) => `${clientCuts.twice} of ${clientCuts.made}`,
      rank: ({ clientCuts }) => clientCuts.twice / clientCuts.made,
      isShort: true,
    },
    {
      what: 'damaged images delivered as images',
      cell: ({ wrong }) => `${wrong.delivered} of ${wrong.count}`,
      rank: ({ wrong }) => wrong.delivered,
      isShort: true,
    },
    {
      what: 'protected pixels unchanged after an edit with a mask',
      cell: ({ mask }) => (mask === undefined ? 'the edit fails' : `${(mask * 100).toFixed(1)} %`),
      rank: ({ mask }) => UNCHANGED - (mask ?? 0),
      isShort: true,
    },
    {
      what: 'transparent background from a model that has none',
      cell: ({ hasTransparency }) => (hasTransparency ? 'yes' : 'no'),
      rank: ({ hasTransparency }) => (hasTransparency ? 0 : 1),
      isShort: true,
    },
  ];
}

/** Returns the page `docs/field.md`. */
export function toPage(field: Field): string {
  const { results, machine, day, direct, clients, loads } = field;
  const rows = rowsOf(field).map((row) => {
    const ranks = results.map((result) => row.rank(result));
    const isBest = (ranks[0] ?? 0) <= Math.min(...ranks);
    return [...cellsOf(row, results), isBest ? '' : (row.reason ?? '')];
  });
  const base = clients.map(
    (count, at) =>
      `${count} client${count === 1 ? '' : 's'}: p50 ${Math.round(direct[at]?.p50Ms ?? 0)} ms, p99 ${Math.round(direct[at]?.p99Ms ?? 0)} ms`,
  );
  return `# The field

Written by \`npm run bench:field\` on ${day}. Do not edit.

The same requests of OpenAI's images API are sent through each server to one strict emulator of the API, which returns PNG images of
300 kB (1024x1024). All servers run on the same machine and are measured one after the other: ${machine}. Each has one process and its default
settings, except that the limits and the breaker of the bridge are off. No client and no key is shared. Cut connections carry
images of ${CUT_IMAGES.imageBytes / 1000} kB (${CUT_IMAGES.edge}x${CUT_IMAGES.edge}).

${toTable(['', ...results.map(({ peer }) => `${peer.name} ${peer.version}`), 'why the bridge is not ahead'], rows)}

Added latency is the time of a whole request minus the time of the same request that is sent to the emulator directly
(${base.join('; ')}). Load and emulator share one process.
The load average of the machine was ${loads[0].toFixed(1)} before the latencies were measured, and ${loads[1].toFixed(1)} afterwards. Other work on the machine
changes the times from one server to the next: a difference is only reliable if it is much larger than these times, and a negative value
means that the direct requests were measured at a busier time.

- **Cut by the upstream:** the emulator makes the image and breaks the connection inside its reply. A server that sends the request again pays twice.
- **Cut off client:** the client disconnects after the image was made, and sends its request again with the same \`Idempotency-Key\`.
- **Damaged images:** an SVG, a page, a decompression bomb, two thirds of a file, no bytes, and three kinds of broken base64.
- **Mask:** the emulator draws a new image and ignores the mask, as a model may. The right half of the source is protected.
- **Transparent background:** requested from \`gpt-image-2\`, which rejects the field.

| server | command |
|---|---|
${results.map(({ peer }) => `| ${peer.name} ${peer.version} | \`${peer.command}\` |`).join('\n')}
`;
}

/** Returns the short table of README. */
export function toShortTable(field: Field): string {
  const { results } = field;
  const rows = rowsOf(field)
    .filter(({ isShort }) => isShort)
    .map((row) => cellsOf(row, results));
  return toTable(['', ...results.map(({ peer }) => peer.name)], rows);
}

function cellsOf({ what, cell }: Row, results: readonly Result[]): string[] {
  return [what, ...results.map((result) => cell(result))];
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}
