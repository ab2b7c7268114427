import { type Command, command } from './command.ts';
import { JOB_FILTERS, JSON_OUTPUT, LIMIT, SERVICE_OPTION } from './options.ts';

const OPTIONS = { ...JSON_OUTPUT, ...SERVICE_OPTION };
const EXITS = { 0: 'success', 1: 'the request failed', 4: 'no service can be reached' };
const JOB = { id: { about: 'the id of the job' } };
const PROVIDER = { provider: { value: 'name', about: 'provider of the session' } } as const;
const ID = '0198c0de-0000-7000-8000-000000000000';
const ARTIFACT = '0123456789abcdef0123456789abcdef';

type QueueRun = 'Show' | 'Pause' | 'Resume';

type JobRun = 'Show' | 'Cancel' | 'Retry' | 'Favorite' | 'Unfavorite' | 'Hide' | 'Restore';

/** Creates a command on one job. */
function jobCommand(verb: JobRun, about: string): Command {
  const name = verb.toLowerCase();
  return command({
    name: `jobs ${name}`,
    about,
    arguments: JOB,
    options: OPTIONS,
    examples: [[`jobs ${name} ${ID}`, about]],
    exits: EXITS,
    run: async (call) => (await import('../commands/jobs.ts'))[`runJobs${verb}`](call),
  });
}

/** Creates a command on the queue. */
function queueCommand(verb: QueueRun, about: string, example: string): Command {
  const name = `queue ${verb.toLowerCase()}`;
  return command({
    name,
    about,
    options: OPTIONS,
    examples: [[name, example]],
    exits: EXITS,
    run: async (call) => (await import('../commands/queue.ts'))[`runQueue${verb}`](call),
  });
}

/** Commands that list, show and change the resources of a running service. */
export const RESOURCE_COMMANDS: readonly Command[] = [
  command({
    name: 'jobs list',
    about: 'list jobs, newest first',
    options: { ...LIMIT, ...JOB_FILTERS, ...OPTIONS },
    examples: [
      ['jobs list --status failed', 'list recent failures'],
      [`jobs list --query 'fox "red sky" -night'`, 'find jobs by words of the prompt'],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/jobs.ts')).runJobsList(call),
  }),
  jobCommand('Show', 'show a job'),
  command({
    name: 'jobs wait',
    about: 'wait until a job ends',
    arguments: JOB,
    options: OPTIONS,
    examples: [[`jobs wait ${ID}`, 'wait, with progress on a terminal']],
    exits: {
      ...EXITS,
      0: 'the job succeeded',
      1: 'the job did not succeed, or the request failed',
    },
    run: async (call) => (await import('../commands/jobs.ts')).runJobsWait(call),
  }),
  jobCommand('Cancel', 'cancel a job'),
  jobCommand('Retry', 'repeat a failed, cancelled or interrupted job as a new job'),
  jobCommand('Favorite', 'protect a job from pruning'),
  jobCommand('Unfavorite', 'allow a job to be pruned again'),
  jobCommand('Hide', 'hide a finished job'),
  jobCommand('Restore', 'show a hidden job again'),
  queueCommand(
    'Show',
    'show the number of waiting and running jobs',
    'count all tokens by provider',
  ),
  queueCommand('Pause', 'stop starting jobs', 'running jobs continue; a restart keeps the pause'),
  queueCommand('Resume', 'start jobs again', 'start waiting jobs, with tokens taking turns'),
  command({
    name: 'queue jobs',
    about: 'list waiting and running jobs of all tokens, oldest first',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['queue jobs --limit 100', 'list jobs with the names of their tokens']],
    exits: EXITS,
    run: async (call) => (await import('../commands/queue.ts')).runQueueJobs(call),
  }),
  command({
    name: 'queue cancel',
    about: 'cancel a waiting or running job of any token',
    arguments: JOB,
    options: OPTIONS,
    examples: [[`queue cancel ${ID}`, 'cancel; a running job may take a moment to end']],
    exits: EXITS,
    run: async (call) => (await import('../commands/queue.ts')).runQueueCancel(call),
  }),
  command({
    name: 'presets list',
    about: 'list presets',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['presets list', 'list presets by name']],
    exits: EXITS,
    run: async (call) => (await import('../commands/presets.ts')).runPresetsList(call),
  }),
  command({
    name: 'presets show',
    about: 'show a preset',
    arguments: { name: { about: 'the name of the preset' } },
    options: OPTIONS,
    examples: [['presets show poster --json', 'print the preset with its template']],
    exits: EXITS,
    run: async (call) => (await import('../commands/presets.ts')).runPresetsShow(call),
  }),
  command({
    name: 'presets save',
    about: 'create or replace a preset',
    arguments: {
      name: { about: 'the name of the preset' },
      file: { about: 'the template: an image request in JSON without images' },
    },
    options: {
      description: { value: 'text', about: 'description of the preset' },
      ...SERVICE_OPTION,
    },
    examples: [
      ['presets save poster poster.json', 'use it with: generate "a fair" --preset poster'],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/presets.ts')).runPresetsSave(call),
  }),
  command({
    name: 'presets delete',
    about: 'delete a preset',
    arguments: { name: { about: 'the name of the preset' } },
    options: SERVICE_OPTION,
    examples: [['presets delete poster', 'delete permanently']],
    exits: EXITS,
    run: async (call) => (await import('../commands/presets.ts')).runPresetsDelete(call),
  }),
  command({
    name: 'sessions show',
    about: 'show the thread of a session key',
    arguments: { key: { about: 'the key of the session' } },
    options: { ...PROVIDER, ...OPTIONS },
    examples: [['sessions show poster', 'exit 1 if the key has no session']],
    exits: EXITS,
    run: async (call) => (await import('../commands/sessions.ts')).runSessionsShow(call),
  }),
  command({
    name: 'sessions delete',
    about: 'end a session and delete its thread',
    arguments: { key: { about: 'the key of the session' } },
    options: { ...PROVIDER, ...SERVICE_OPTION },
    examples: [['sessions delete poster', 'delete permanently']],
    exits: EXITS,
    run: async (call) => (await import('../commands/sessions.ts')).runSessionsDelete(call),
  }),
  command({
    name: 'providers list',
    about: 'list enabled providers and their models',
    options: OPTIONS,
    examples: [['providers list', 'list enabled providers']],
    exits: EXITS,
    run: async (call) => (await import('../commands/providers.ts')).runProvidersList(call),
  }),
  command({
    name: 'providers show',
    about: 'show the capabilities of a model',
    arguments: { name: { about: 'the provider' } },
    options: {
      model: { value: 'name', about: 'model instead of the default model of the provider' },
      ...OPTIONS,
    },
    examples: [
      ['providers show agent-responses --model gpt-image-2', 'show sizes, formats and limits'],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/providers.ts')).runProvidersShow(call),
  }),
  command({
    name: 'artifacts list',
    about: 'list the images of the newest jobs',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['artifacts list', 'list images with size, format and job']],
    exits: EXITS,
    run: async (call) => (await import('../commands/artifacts.ts')).runArtifactsList(call),
  }),
  command({
    name: 'artifacts show',
    about: 'show the name, type, size and checksum of an image',
    arguments: { id: { about: 'the id of the artifact' } },
    options: OPTIONS,
    examples: [[`artifacts show ${ARTIFACT}`, 'show the facts without downloading']],
    exits: EXITS,
    run: async (call) => (await import('../commands/artifacts.ts')).runArtifactsShow(call),
  }),
  command({
    name: 'artifacts get',
    about: 'download an image to a file',
    arguments: { id: { about: 'the id of the artifact' } },
    options: {
      output: { value: 'file', short: 'o', isRequired: true, about: 'output file' },
      force: { about: 'overwrite the output file' },
      ...SERVICE_OPTION,
    },
    examples: [[`artifacts get ${ARTIFACT} -o lighthouse.png`, 'write the verified image']],
    exits: EXITS,
    run: async (call) => (await import('../commands/artifacts.ts')).runArtifactsGet(call),
  }),
];
