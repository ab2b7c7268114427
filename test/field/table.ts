import { CUT_IMAGES, type Cuts } from './measures.ts';
import { PEERS } from './peers.ts';
import type { LatencyResults, LoadResults, PeerResults, Results } from './results.ts';

/** All results of one peer. */
interface Result extends PeerResults {
  readonly load?: LoadResults | undefined;
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

const NOT_MEASURED = 'not measured';

function latencyRows({ clients, direct }: LatencyResults): readonly Row[] {
  const added = ({ load }: Result, at: number, key: 'p50Ms' | 'p99Ms') =>
    (load?.latencies[at]?.[key] ?? Number.NaN) - (direct[at]?.[key] ?? Number.NaN);
  const rows = clients.flatMap((count, at) =>
    (['p50Ms', 'p99Ms'] as const).map((key) => ({
      what: `added latency, ${clientsOf(count)}, ${key.slice(0, 3)}`,
      cell: (result: Result) => {
        const failed = result.load?.latencies[at]?.failed ?? 0;
        const text = `${Math.round(added(result, at, key))} ms`;
        return failed === 0 ? text : `${text} (${failed} failed)`;
      },
      rank: (result: Result) => added(result, at, key),
      reason: DECODES,
      ...(key === 'p50Ms' && at < 2 ? { isShort: true as const } : {}),
    })),
  );
  return [
    ...rows,
    {
      what: 'resident memory after the load',
      cell: ({ load }) => (load ? `${Math.round(load.memoryMb)} MiB` : NOT_MEASURED),
      rank: ({ load }) => load?.memoryMb ?? Number.NaN,
      reason: 'The bridge has image libraries and a database in its process. The peer has neither.',
    },
  ];
}

function cutsRow(what: string, of: (result: Result) => Cuts | undefined): Row {
  return {
    what,
    cell: (result) => {
      const cuts = of(result);
      return cuts ? `${cuts.twice} of ${cuts.made}` : NOT_MEASURED;
    },
    rank: (result) => (of(result)?.twice ?? Number.NaN) / (of(result)?.made ?? Number.NaN),
    isShort: true,
  };
}

const REPLY_ROWS: readonly Row[] = [
  cutsRow('images paid twice after the upstream cut its reply', (result) => result.upstreamCuts),
  cutsRow(
    'images paid twice after the client was cut off and sent its request again',
    (result) => result.clientCuts,
  ),
  {
    what: 'damaged images delivered as images',
    cell: ({ replies }) =>
      replies ? `${replies.wrong.delivered} of ${replies.wrong.count}` : NOT_MEASURED,
    rank: ({ replies }) => replies?.wrong.delivered ?? Number.NaN,
    isShort: true,
  },
  {
    what: 'protected pixels unchanged after an edit with a mask',
    cell: ({ replies }) => {
      if (!replies) return NOT_MEASURED;
      return replies.mask === undefined ? 'the edit fails' : `${(replies.mask * 100).toFixed(1)} %`;
    },
    rank: ({ replies }) => UNCHANGED - (replies?.mask ?? 0),
    isShort: true,
  },
  {
    what: 'transparent background from a model that has none',
    cell: ({ replies }) => {
      if (!replies) return NOT_MEASURED;
      return replies.hasTransparency ? 'yes' : 'no';
    },
    rank: ({ replies }) => (replies?.hasTransparency ? 0 : 1),
    isShort: true,
  },
];

const rowsOf = ({ latency }: Results): readonly Row[] => [
  ...(latency ? latencyRows(latency) : []),
  ...REPLY_ROWS,
];

/** Returns the results of the peers in the order of the table. */
function resultsOf({ peers, latency }: Results): readonly Result[] {
  return [...PEERS.keys()].flatMap((id) => {
    const found = peers[id];
    return found ? [{ ...found, load: latency?.peers[id] }] : [];
  });
}

function clientsOf(count: number): string {
  return `${count} client${count === 1 ? '' : 's'}`;
}

/** Returns the page `docs/field.md`. */
export function toPage(field: Results): string {
  const results = resultsOf(field);
  const rows = rowsOf(field).map((row) => {
    const ranks = results.map((result) => row.rank(result)).filter((rank) => !Number.isNaN(rank));
    const isBest = (ranks[0] ?? 0) <= Math.min(...ranks);
    return [...cellsOf(row, results), isBest ? '' : (row.reason ?? '')];
  });
  return `# The field

Written by \`npm run bench:field\`. Do not edit.

The same requests of OpenAI's images API are sent through each server to one strict emulator of the API, which returns PNG images of
300 kB (1024x1024). All servers run on the same machine and are measured one after the other. Each has one process and its default
settings, except that the limits and the breaker of the bridge are off. No client and no key is shared. Cut connections carry
images of ${CUT_IMAGES.imageBytes / 1000} kB (${CUT_IMAGES.edge}x${CUT_IMAGES.edge}).

${toTable(['', ...results.map(({ name, version }) => `${name} ${version}`), 'why the bridge is not ahead'], rows)}

${field.latency ? `${aboutLatency(field.latency)}\n\n` : ''}- **Cut by the upstream:** the emulator makes the image and breaks the connection inside its reply. A server that sends the request again pays twice.
- **Cut off client:** the client disconnects after the image was made, and sends its request again with the same \`Idempotency-Key\`.
- **Damaged images:** an SVG, a page, a decompression bomb, two thirds of a file, no bytes, and three kinds of broken base64.
- **Mask:** the emulator draws a new image and ignores the mask, as a model may. The right half of the source is protected.
- **Transparent background:** requested from \`gpt-image-2\`, which rejects the field.

| server | command |
|---|---|
${results.map(({ name, version, command }) => `| ${name} ${version} | \`${command}\` |`).join('\n')}
`;
}

/** Returns the paragraph that says how the latencies were measured. */
function aboutLatency({ day, machine, loads, clients, direct }: LatencyResults): string {
  const base = clients.map((count, at) => {
    const { p50Ms = Number.NaN, p99Ms = Number.NaN } = direct[at] ?? {};
    return `${clientsOf(count)}: p50 ${Math.round(p50Ms)} ms, p99 ${Math.round(p99Ms)} ms`;
  });
  const load = loads
    ? `, at a load average of ${loads[0].toFixed(1)} before the measurement and ${loads[1].toFixed(1)} after`
    : '';
  return `The latencies and the memory were measured on ${day}: ${machine}${load}.
Added latency is the time of a whole request minus the time of the same request that is sent to the emulator directly
(${base.join('; ')}). Load and emulator share one process. Other work on the machine
changes the times from one server to the next: a difference is only reliable if it is much larger than these times, and a negative value
means that the direct requests were measured at a busier time.`;
}

/** Returns the short table of README. */
export function toShortTable(field: Results): string {
  const results = resultsOf(field);
  const rows = rowsOf(field)
    .filter(({ isShort }) => isShort)
    .map((row) => cellsOf(row, results));
  return toTable(['', ...results.map(({ name }) => name)], rows);
}

function cellsOf({ what, cell }: Row, results: readonly Result[]): string[] {
  return [what, ...results.map((result) => cell(result))];
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}
