import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { CommandIo } from '../../../../local-runtime/cli/command-io.ts';
import { runCommand } from '../../../support/run-command.ts';
import { openStub } from '../stub-service.ts';

const UNDO = '0198c0de-0000-7000-8000-000000000000';

interface Sent {
  readonly line: string;
  readonly body: unknown;
}

let close = () => {};
afterEach(() => close());

/** Runs a command against a service with `count` matching jobs. Resolves also with the requests that arrived. */
async function run(
  argv: readonly string[],
  { count = 2, atLeast = false, io = {} as Partial<CommandIo> } = {},
) {
  const sent: Sent[] = [];
  const stub = await openStub(async (request, response) => {
    const chunks = await request.toArray();
    const text = Buffer.concat(chunks).toString();
    sent.push({
      line: `${request.method} ${request.url}`,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const skipped = [{ reason: 'not_ended', count: 1, ids: ['x'] }];
    const reply =
      request.method === 'GET'
        ? { items: [], total: { count, at_least: atLeast } }
        : { done: 1, skipped, ...(request.url?.endsWith('undo') ? {} : { undo: { id: UNDO } }) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(reply));
  });
  close = stub.close;
  const ended = await runCommand(argv, {
    cwd: tmpdir(),
    ...io,
    env: { IMAGE_BRIDGE_URL: stub.url },
  });
  return { ...ended, sent };
}

const TERMINAL = { stdin: true, stdout: false, stderr: false };

describe('jobs cancel', () => {
  it('cancels the jobs of a filter with the number that was counted, and prints the undo', async () => {
    const result = await run(['jobs', 'cancel', '--label', 'poster', '--query', 'fox -sky', '-y']);

    expect(result.sent).toEqual([
      {
        line: 'GET /v1/jobs?label=poster&q=fox+-sky&status=queued&limit=1&total=true',
        body: undefined,
      },
      {
        line: 'POST /v1/jobs/batch',
        body: {
          action: 'cancel',
          filter: { status: 'queued', q: 'fox -sky', label: 'poster' },
          expected_count: 2,
        },
      },
    ]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: `1 cancelled\n1 skipped: not ended\nTo undo: image-bridge jobs undo ${UNDO}\n`,
    });
  });

  it('cancels running jobs only with their status', async () => {
    const { sent } = await run(['jobs', 'cancel', '--status', 'running', '--yes']);

    expect(sent[1]?.body).toMatchObject({ filter: { status: 'running' }, running: true });
  });

  it.each([
    ['y', 0, 2],
    ['', 1, 1],
    ['no', 1, 1],
  ])('asks on a terminal, and follows the reply "%s"', async (answer, exitCode, requests) => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    const io = { isTerminal: TERMINAL, ask };

    const result = await run(['jobs', 'cancel', '--status', 'queued'], { count: 1, io });

    expect(questions).toEqual(['Cancel 1 queued job? [y/N] ']);
    expect(result.exitCode).toBe(exitCode);
    expect(result.sent).toHaveLength(requests);
  });

  it('changes nothing without a terminal and --yes', async () => {
    const result = await run(['jobs', 'cancel', '--status', 'queued']);

    expect(result.sent).toHaveLength(1);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('Use --yes to cancel 2 queued jobs');
  });

  it('sends no change if no job matches', async () => {
    const result = await run(['jobs', 'cancel', '--group', 'g'], { count: 0 });

    expect(result.sent).toHaveLength(1);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'No job matches.\n' });
  });

  it('rejects more jobs than one request can change', async () => {
    const result = await run(['jobs', 'cancel', '--search', 'fox', '--yes'], {
      count: 10_000,
      atLeast: true,
    });

    expect(result.sent).toHaveLength(1);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('more than 10000 jobs match');
  });

  it.each([[[]], [['x', '--status', 'queued']]])(
    'rejects the arguments %j, because they name no job or both a job and a filter',
    async (args) => {
      const result = await run(['jobs', 'cancel', ...args]);

      expect(result.sent).toEqual([]);
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );

  it('cancels one job by its id', async () => {
    const { sent } = await run(['jobs', 'cancel', 'a/b', '--json']);

    expect(sent).toEqual([{ line: 'DELETE /v1/jobs/a%2Fb', body: undefined }]);
  });
});

describe('jobs undo', () => {
  it('undoes a batch, and prints what was restored and skipped', async () => {
    const result = await run(['jobs', 'undo', UNDO]);

    expect(result.sent).toEqual([{ line: `POST /v1/jobs/batch/${UNDO}/undo`, body: undefined }]);
    expect(result).toMatchObject({ exitCode: 0, stdout: '1 restored\n1 skipped: not ended\n' });
  });
});
