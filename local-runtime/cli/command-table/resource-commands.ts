import type { CommandRequest, ServiceCall } from '../commands/requests.ts';
import { type ArgumentRow, type Command, command, type OptionRow } from './command.ts';
import {
  BATCH_FILTERS,
  JOB_FILTERS,
  JOB_ORDER,
  JSON_OUTPUT,
  LABELS,
  LIMIT,
  SERVICE_OPTION,
} from './options.ts';

const OPTIONS = { ...JSON_OUTPUT, ...SERVICE_OPTION };
const EXITS = { 0: 'success', 1: 'the request failed', 4: 'no service can be reached' };
const JOB = { id: { about: 'id of the job' } };
const PRESET = { name: { about: 'name of the preset' } };
const SESSION = { key: { about: 'key of the session' } };
const ARTIFACT = { id: { about: 'id of the artifact' } };
const PROVIDER = { provider: { value: 'name', about: 'provider of the session' } } as const;
const JOB_ID = '0198c0de-0000-7000-8000-000000000000';
const ARTIFACT_ID = '0123456789abcdef0123456789abcdef';

interface RequestRow
  extends Pick<Command, 'name' | 'about' | 'details' | 'examples'>,
    Omit<CommandRequest, 'query' | 'body'> {
  readonly arguments?: Readonly<Record<string, ArgumentRow>>;
  readonly options?: Readonly<Record<string, OptionRow>>;
  /** The body, or a function that returns the body for the values of the options. */
  readonly body?: object | ((options: Readonly<Record<string, unknown>>) => object) | undefined;
  /** Returns the query for the values of the options, by default all values except `--json` and `--url`. */
  readonly query?: (options: Readonly<Record<string, unknown>>) => CommandRequest['query'];
}

/** Creates a command that sends one request to a running service and shows the reply. */
export function request(row: RequestRow): Command {
  const { operation, body, shows, query = ({ json, url, ...rest }) => rest, ...rest } = row;
  return {
    options: OPTIONS,
    exits: EXITS,
    ...rest,
    async run(call) {
      const { runRequest } = await import('../commands/requests.ts');
      const spec = {
        operation,
        shows,
        query: query(call.options),
        body: typeof body === 'function' ? body(call.options) : body,
      };
      // The cast is safe because every row has `--url`, and every row that prints a reply has `--json`.
      return runRequest(call as ServiceCall<typeof call.args>, spec);
    },
  };
}

/** Creates a command on one job. */
function job(verb: string, about: string, operation: string, body?: object): Command {
  const name = `jobs ${verb}`;
  const examples = [[`${name} ${JOB_ID}`, about]] as const;
  return request({ name, about, arguments: JOB, examples, operation, body, shows: 'job' });
}

/** Creates a command that changes the marks of one image. */
function mark(verb: string, about: string, body: object): Command {
  const name = `artifacts ${verb}`;
  const examples = [[`${name} ${ARTIFACT_ID}`, about]] as const;
  const operation = 'PATCH /v1/artifacts/{id}';
  return request({ name, about, arguments: ARTIFACT, examples, operation, body });
}

/** Commands that list, show and change the resources of a running service. */
export const RESOURCE_COMMANDS: readonly Command[] = [
  request({
    name: 'jobs list',
    about: 'list jobs, newest first',
    options: { ...LIMIT, ...JOB_FILTERS, ...JOB_ORDER, ...OPTIONS },
    examples: [
      ['jobs list --status failed', 'list recent failures'],
      [`jobs list --query 'fox "red sky" -night'`, 'find jobs by words in the prompt'],
      ['jobs list --label poster', 'list jobs with a label'],
      ['jobs list --group lake-1', 'list the jobs of a group'],
      ['jobs list --size 3:2 --after 2026-11-01', 'list wide images since a date'],
      ['jobs list --after 2026-11-01 --order oldest', 'list the first jobs since a date'],
    ],
    operation: 'GET /v1/jobs',
    query: ({ query: q, after, before, hidden, favorite, json, url, ...filters }) => ({
      ...filters,
      q,
      created_after: after,
      created_before: before,
      visibility: hidden ? 'hidden' : undefined,
      favorite: favorite || undefined,
    }),
    shows: 'jobs',
  }),
  job('show', 'show a job', 'GET /v1/jobs/{id}'),
  command({
    name: 'jobs wait',
    about: 'wait until a job ends',
    arguments: JOB,
    options: OPTIONS,
    examples: [[`jobs wait ${JOB_ID}`, 'wait, and show progress on a terminal']],
    exits: {
      ...EXITS,
      0: 'the job succeeded',
      1: 'the job did not succeed, or the request failed',
    },
    run: async (call) => (await import('../commands/requests.ts')).runJobsWait(call),
  }),
  command({
    name: 'jobs cancel',
    about: 'cancel a job, or all jobs that the options select',
    details: [
      'Asks before many jobs are cancelled, and prints the command that undoes the change. Cancels at most 10,000 jobs.',
    ],
    arguments: { id: { about: 'id of the job', isOptional: true } },
    options: {
      ...BATCH_FILTERS,
      yes: { short: 'y', about: 'cancel without asking' },
      ...OPTIONS,
    },
    examples: [
      [`jobs cancel ${JOB_ID}`, 'cancel a job'],
      ['jobs cancel --status queued', 'cancel all queued jobs, after a confirmation'],
      ['jobs cancel --label poster --yes', 'cancel the queued jobs with a label'],
    ],
    exits: { ...EXITS, 1: 'the request failed, or the user declined' },
    run: async (call) => (await import('../commands/job-batches.ts')).runJobsCancel(call),
  }),
  command({
    name: 'jobs undo',
    about: 'undo a change of many jobs',
    details: [
      'Cancelled jobs are queued again as new jobs. Cancelled jobs that had not started are hidden.',
    ],
    arguments: { id: { about: 'id printed by the command that changed the jobs' } },
    options: OPTIONS,
    examples: [[`jobs undo ${JOB_ID}`, 'undo within a day']],
    exits: EXITS,
    run: async (call) => (await import('../commands/job-batches.ts')).runJobsUndo(call),
  }),
  request({
    name: 'jobs retry',
    about: 'repeat a failed, cancelled or interrupted job as a new job',
    arguments: JOB,
    examples: [[`jobs retry ${JOB_ID}`, 'create a job with the same request']],
    operation: 'POST /v1/jobs/{id}/retry',
    shows: 'newJob',
  }),
  job('favorite', 'protect a job from pruning', 'PATCH /v1/jobs/{id}', { favorite: true }),
  job('unfavorite', 'allow a job to be pruned again', 'PATCH /v1/jobs/{id}', { favorite: false }),
  job('hide', 'hide an ended job', 'PATCH /v1/jobs/{id}', { deleted: true }),
  job('restore', 'show a hidden job again', 'PATCH /v1/jobs/{id}', { deleted: false }),
  request({
    name: 'jobs label',
    about: 'replace the labels of a job',
    details: ['Without --label, removes all labels.'],
    arguments: JOB,
    options: { ...LABELS, ...OPTIONS },
    examples: [
      [`jobs label ${JOB_ID} --label poster --label spring`, 'set two labels'],
      [`jobs label ${JOB_ID}`, 'remove all labels'],
    ],
    operation: 'PATCH /v1/jobs/{id}',
    body: ({ label }) => ({ labels: label }),
    query: () => ({}),
    shows: 'job',
  }),
  request({
    name: 'jobs family',
    about: 'list the relatives of a job, nearest first',
    arguments: JOB,
    examples: [[`jobs family ${JOB_ID}`, 'list up to 60 sources, edits and variations']],
    operation: 'GET /v1/jobs/{id}/family',
    shows: 'jobs',
  }),
  request({
    name: 'queue show',
    about: 'show the number of waiting jobs and of running jobs',
    examples: [['queue show', 'count the jobs of all tokens by provider']],
    operation: 'GET /v1/queue',
  }),
  request({
    name: 'queue pause',
    about: 'stop starting jobs',
    examples: [['queue pause', 'let running jobs continue; a restart keeps the pause']],
    operation: 'PATCH /v1/queue',
    body: { paused: true },
  }),
  request({
    name: 'queue resume',
    about: 'start jobs again',
    examples: [['queue resume', 'start waiting jobs, with tokens taking turns']],
    operation: 'PATCH /v1/queue',
    body: { paused: false },
  }),
  request({
    name: 'queue jobs',
    about: 'list the waiting and running jobs of all tokens, oldest first',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['queue jobs --limit 100', 'list jobs with the names of their tokens']],
    operation: 'GET /v1/queue/jobs',
    shows: 'queueJobs',
  }),
  request({
    name: 'queue cancel',
    about: 'cancel a waiting or running job of any token',
    arguments: JOB,
    examples: [[`queue cancel ${JOB_ID}`, 'cancel; a running job may take a moment to end']],
    operation: 'DELETE /v1/queue/jobs/{id}',
  }),
  request({
    name: 'presets list',
    about: 'list presets',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['presets list', 'list presets by name']],
    operation: 'GET /v1/presets',
    shows: 'presets',
  }),
  request({
    name: 'presets show',
    about: 'show a preset',
    arguments: PRESET,
    examples: [['presets show poster --json', 'print the preset with its template']],
    operation: 'GET /v1/presets/{name}',
  }),
  command({
    name: 'presets save',
    about: 'create or replace a preset',
    arguments: {
      ...PRESET,
      file: { about: 'template: a file with an image request in JSON, without images' },
    },
    options: {
      title: { value: 'text', about: 'display name, up to 64 characters' },
      description: { value: 'text', about: 'description of the preset' },
      ...SERVICE_OPTION,
    },
    examples: [
      ['presets save poster poster.json', 'use the preset with: generate "a fair" --preset poster'],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/presets.ts')).runPresetsSave(call),
  }),
  request({
    name: 'presets delete',
    about: 'delete a preset',
    arguments: PRESET,
    options: SERVICE_OPTION,
    examples: [['presets delete poster', 'delete the preset permanently']],
    operation: 'DELETE /v1/presets/{name}',
    shows: 'nothing',
  }),
  request({
    name: 'sessions show',
    about: 'show the thread of a session key',
    arguments: SESSION,
    options: { ...PROVIDER, ...OPTIONS },
    examples: [['sessions show poster', 'exit 1 if the key has no session']],
    operation: 'GET /v1/sessions/{key}',
  }),
  request({
    name: 'sessions delete',
    about: 'end a session and delete its thread',
    arguments: SESSION,
    options: { ...PROVIDER, ...SERVICE_OPTION },
    examples: [['sessions delete poster', 'delete the session permanently']],
    operation: 'DELETE /v1/sessions/{key}',
    shows: 'nothing',
  }),
  request({
    name: 'providers list',
    about: 'list the enabled providers and their models',
    examples: [['providers list', 'list the enabled providers']],
    operation: 'GET /v1/providers',
    // Far above the number of providers of any bridge.
    query: () => ({ limit: 100 }),
    shows: 'providers',
  }),
  request({
    name: 'providers show',
    about: 'show the capabilities of a model',
    arguments: { name: { about: 'name of the provider' } },
    options: {
      model: { value: 'name', about: 'model to show instead of the default model' },
      ...OPTIONS,
    },
    examples: [
      ['providers show agent-responses --model gpt-image-2', 'show sizes, formats and limits'],
    ],
    operation: 'GET /v1/providers/{name}/capabilities',
  }),
  request({
    name: 'artifacts list',
    about: 'list the images of the newest jobs',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['artifacts list', 'list images with size, format and job']],
    operation: 'GET /v1/jobs',
    query: ({ limit }) => ({ limit, status: 'succeeded' }),
    shows: 'artifacts',
  }),
  request({
    name: 'artifacts show',
    about: 'show the name, type, size and checksum of an image',
    arguments: ARTIFACT,
    examples: [[`artifacts show ${ARTIFACT_ID}`, 'show the facts without downloading the image']],
    operation: 'HEAD /v1/artifacts/{id}',
    shows: 'head',
  }),
  command({
    name: 'artifacts get',
    about: 'download an image to a file',
    arguments: ARTIFACT,
    options: {
      output: { value: 'file', short: 'o', isRequired: true, about: 'output file' },
      force: { about: 'overwrite the output file' },
      ...SERVICE_OPTION,
    },
    examples: [[`artifacts get ${ARTIFACT_ID} -o lighthouse.png`, 'write the verified image']],
    exits: EXITS,
    run: async (call) => (await import('../commands/artifacts.ts')).runArtifactsGet(call),
  }),
  mark('favorite', 'protect the job of an image from pruning', { favorite: true }),
  mark('unfavorite', 'remove the mark of a favourite image', { favorite: false }),
  mark('hide', 'hide one image of a job', { hidden: true }),
  mark('restore', 'show a hidden image again', { hidden: false }),
  request({
    name: 'artifacts note',
    about: 'write a note on an image',
    details: ['Without --text, removes the note.'],
    arguments: ARTIFACT,
    options: { text: { value: 'text', about: 'the note, up to 500 characters' }, ...OPTIONS },
    examples: [[`artifacts note ${ARTIFACT_ID} --text "for the cover"`, 'replace the note']],
    operation: 'PATCH /v1/artifacts/{id}',
    body: ({ text }) => ({ note: text ?? '' }),
    query: () => ({}),
  }),
];
