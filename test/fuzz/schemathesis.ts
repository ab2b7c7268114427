import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PERMISSIONS } from '../../lib/contract/request/caller.ts';
import { freshFolder, runProgram } from '../support/start-bridge.ts';
import { runBounded } from './bounded-run.ts';
import type { FuzzReport } from './fuzzer.ts';
import { startWatchedBridge } from './watched-bridge.ts';

/** The name with which `--only` selects the generator. */
export const SCHEMATHESIS = 'openapi';

const VERSION = '4.32.5';
const FOLDER = join(tmpdir(), `image-bridge-schemathesis-${VERSION}`);
const PROGRAM = join(FOLDER, 'bin', 'schemathesis');

/**
 * The promises that every reply keeps. Accepted and rejected inputs are not compared, because the bridge rejects more than a JSON
 * Schema can say.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'allow_header_conformance',
  'ignored_auth',
];

/**
 * A deadline of 1 ms passes, and a provider or a queue may fail as documented. A reply 500 is a defect. The phase "coverage" of the
 * generator fails with "Unsupported type: 'Binary'" for a form with files and a rejected field. Its phase "fuzzing" has no such defect.
 */
const CONFIGURATION = `[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "502", "503", "504"]

[[operations]]
include-operation-id = "createImageEdit"
phases.coverage.enabled = false
`;

/** The operations whose reply is a stream of events, which may have no end. OpenAPI 3.1 cannot describe single events. */
const STREAMS = ['streamImage', 'streamJobs', 'streamJob', 'openMcpStream'];

/**
 * The bridge replies within 30 seconds on the busiest machine, so a request without a reply after the time-out of the generator is a
 * defect.
 */
const DEADLINES = ['runtime.default_timeout_ms=30000', 'runtime.request.max_timeout_ms=30000'];
const REPLY_SECS = '60';

/** The reasons of a regular end. */
const ENDS = ['completed', 'max_time', 'interrupted'];

const TOKENS = 'server.tokens_file=tokens.toml';

/** The generator looks at its clock only between requests, and one generated request may take minutes on a busy machine. */
const OVERTIME_MS = 60_000;
/** The time for the report of the findings, on a busy machine. */
const GRACE_MS = 300_000;

const NO_REPORT = 'the generator has written no report';

/** The members of the report of schemathesis that are read. An error is a request without a reply, or one that was not generated. */
interface Findings {
  readonly stop_reason: string;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly title: string }[];
}

/**
 * Sends requests that schemathesis generates from the OpenAPI document, and requests that violate the document, to the started
 * program. Installs schemathesis in the folder for temporary files first.
 */
export async function runSchemathesis({
  seed,
  maxMs,
}: {
  readonly seed: number;
  readonly maxMs: number;
}): Promise<FuzzReport> {
  install();
  const cwd = await freshFolder();
  const words = ['tokens', 'add', 'fuzz', '--permissions', PERMISSIONS.join(), '--set', TOKENS];
  const { stdout, stderr } = await runProgram(words, cwd);
  const token = stdout.trim();
  if (token === '') throw new Error(stderr);
  const { bridge, expectSound } = await startWatchedBridge({
    cwd,
    token,
    set: [TOKENS, ...DEADLINES, 'server.mcp.enabled=true', 'server.metrics.enabled=true'],
  });
  const file = join(cwd, 'schemathesis.toml');
  const report = join(cwd, 'report.json');
  await writeFile(file, CONFIGURATION);
  await runBounded(
    PROGRAM,
    [
      ...['--config-file', file],
      ...['run', `${bridge.address}/v1/openapi.json`, '--header', `Authorization: Bearer ${token}`],
      ...['--checks', CHECKS.join(), '--continue-on-failure', '--suppress-health-check', 'all'],
      ...['--phases', 'fuzzing,coverage', '--seed', String(seed)],
      ...['--max-time', String(Math.ceil(maxMs / 1000)), '--request-timeout', REPLY_SECS],
      ...['--generation-database', 'none', '--warnings', 'off', '--report-json-path', report],
      ...STREAMS.flatMap((operation) => ['--exclude-operation-id', operation]),
    ],
    { cwd, maxMs: maxMs + OVERTIME_MS, graceMs: GRACE_MS },
  );
  await expectSound();
  await bridge.end();
  const text = await readFile(report, 'utf8').catch(() => '');
  return text === '' ? { runs: 0, violation: NO_REPORT } : toFuzzReport(JSON.parse(text));
}

/** A run that was interrupted because its time was over has only tested less. */
function toFuzzReport({ stop_reason, test_cases, failures, errors }: Findings): FuzzReport {
  const found = [
    ...failures.map(({ title, operations }) => `${title}: ${operations.join(', ')}`),
    ...errors.map(({ title }) => title),
    ...(ENDS.includes(stop_reason) ? [] : [`the run ended early: ${stop_reason}`]),
  ];
  return {
    runs: test_cases.generated,
    ...(found.length === 0 ? {} : { violation: `${found.join('\n')}\nsee above` }),
  };
}

function install(): void {
  if (existsSync(PROGRAM)) return;
  run('python3', ['-m', 'venv', FOLDER]);
  run(join(FOLDER, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`]);
}

function run(program: string, words: readonly string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} has failed`);
}
