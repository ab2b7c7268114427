import { JOB_STATUSES } from '../../lib/contract/resources/job.ts';
import { type Command, command } from './command.ts';
import { JSON_OUTPUT } from './configuration-options.ts';
import { SERVICE_OPTION } from './service-options.ts';
import { WHOLE_NUMBER } from './value-form.ts';

const OPTIONS = { ...JSON_OUTPUT, ...SERVICE_OPTION };
const EXITS = { 0: 'done', 1: 'the service refused', 4: 'no service can be reached' };
const LIMIT = {
  limit: { value: 'COUNT', form: WHOLE_NUMBER, about: 'how many, at most 100; 20 without it' },
} as const;
const JOB = { id: { about: 'the id of the job' } };
const PROVIDER = { provider: { value: 'NAME', about: 'the provider of the session' } } as const;
const ID = '0198c0de-0000-7000-8000-000000000000';
const ARTIFACT = '0123456789abcdef0123456789abcdef';

type QueueRun = 'Show' | 'Pause' | 'Resume';

type JobRun = 'Show' | 'Cancel' | 'Retry' | 'Favorite' | 'Unfavorite' | 'Hide' | 'Restore';

/** A command on one job. */
function jobCommand(verb: JobRun, about: string): Command {
  const name = verb.toLowerCase();
  return command({
    name: `jobs ${name}`,
    about,
    arguments: JOB,
    options: OPTIONS,
    examples: [[`jobs ${name} ${ID}`, about]],
    exits: EXITS,
    load: async () => (await import('../commands/jobs.ts'))[`runJobs${verb}`],
  });
}

/** A command on the queue. */
function queueCommand(verb: QueueRun, about: string, example: string): Command {
  const name = `queue ${verb.toLowerCase()}`;
  return command({
    name,
    about,
    options: OPTIONS,
    examples: [[name, example]],
    exits: EXITS,
    load: async () => (await import('../commands/queue.ts'))[`runQueue${verb}`],
  });
}

/** What lists, shows and changes the resources of a running service. */
export const RESOURCE_COMMANDS: readonly Command[] = [
  command({
    name: 'jobs list',
    about: 'list the history, the newest first',
    options: {
      ...LIMIT,
      status: { value: 'STATUS', choices: JOB_STATUSES, about: 'those that are' },
      search: { value: 'TEXT', about: 'those with this text in their prompt' },
      favorite: { about: 'favourites only' },
      hidden: { about: 'those that are hidden' },
      ...OPTIONS,
    },
    examples: [['jobs list --status failed', 'what went wrong last']],
    exits: EXITS,
    load: async () => (await import('../commands/jobs.ts')).runJobsList,
  }),
  jobCommand('Show', 'show a job'),
  command({
    name: 'jobs wait',
    about: 'wait until a job has ended',
    arguments: JOB,
    options: OPTIONS,
    examples: [[`jobs wait ${ID}`, 'shows progress on a terminal']],
    exits: { ...EXITS, 0: 'the job has succeeded', 1: 'it has not, or the service refused' },
    load: async () => (await import('../commands/jobs.ts')).runJobsWait,
  }),
  jobCommand('Cancel', 'cancel a job'),
  jobCommand('Retry', 'make a new job of one that failed, was cancelled or was interrupted'),
  jobCommand('Favorite', 'keep a job from being pruned'),
  jobCommand('Unfavorite', 'let a job be pruned again'),
  jobCommand('Hide', 'hide a job that has ended'),
  jobCommand('Restore', 'show a hidden job again'),
  queueCommand('Show', 'show how many jobs wait and run', 'of all tokens, by provider'),
  queueCommand('Pause', 'start no further job', 'running jobs continue; a restart keeps it'),
  queueCommand('Resume', 'start jobs again', 'tokens take turns'),
  command({
    name: 'queue jobs',
    about: 'list the jobs of all tokens that wait or run, the oldest first',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['queue jobs --limit 100', 'with the names of their tokens']],
    exits: EXITS,
    load: async () => (await import('../commands/queue.ts')).runQueueJobs,
  }),
  command({
    name: 'queue cancel',
    about: 'cancel a job of any token that waits or runs',
    arguments: JOB,
    options: OPTIONS,
    examples: [[`queue cancel ${ID}`, 'a running job may take a moment to end']],
    exits: EXITS,
    load: async () => (await import('../commands/queue.ts')).runQueueCancel,
  }),
  command({
    name: 'presets list',
    about: 'list the presets',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['presets list', 'by name']],
    exits: EXITS,
    load: async () => (await import('../commands/presets.ts')).runPresetsList,
  }),
  command({
    name: 'presets show',
    about: 'show a preset',
    arguments: { name: { about: 'its name' } },
    options: OPTIONS,
    examples: [['presets show poster --json', 'with its template']],
    exits: EXITS,
    load: async () => (await import('../commands/presets.ts')).runPresetsShow,
  }),
  command({
    name: 'presets save',
    about: 'make a preset, or replace it',
    arguments: {
      name: { about: 'its name' },
      file: { about: 'the template: an image request in JSON without images' },
    },
    options: {
      description: { value: 'TEXT', about: 'what it is for' },
      ...SERVICE_OPTION,
    },
    examples: [['presets save poster poster.json', 'then: generate "a fair" --preset poster']],
    exits: EXITS,
    load: async () => (await import('../commands/presets.ts')).runPresetsSave,
  }),
  command({
    name: 'presets delete',
    about: 'delete a preset',
    arguments: { name: { about: 'its name' } },
    options: SERVICE_OPTION,
    examples: [['presets delete poster', 'it cannot be undone']],
    exits: EXITS,
    load: async () => (await import('../commands/presets.ts')).runPresetsDelete,
  }),
  command({
    name: 'sessions show',
    about: 'show which thread a key is bound to',
    arguments: { key: { about: 'the key of the session' } },
    options: { ...PROVIDER, ...OPTIONS },
    examples: [['sessions show poster', 'fails where there is none']],
    exits: EXITS,
    load: async () => (await import('../commands/sessions.ts')).runSessionsShow,
  }),
  command({
    name: 'sessions delete',
    about: 'end a session and delete its thread',
    arguments: { key: { about: 'the key of the session' } },
    options: { ...PROVIDER, ...SERVICE_OPTION },
    examples: [['sessions delete poster', 'it cannot be undone']],
    exits: EXITS,
    load: async () => (await import('../commands/sessions.ts')).runSessionsDelete,
  }),
  command({
    name: 'providers list',
    about: 'list the providers and their models',
    options: OPTIONS,
    examples: [['providers list', 'those that are enabled']],
    exits: EXITS,
    load: async () => (await import('../commands/providers.ts')).runProvidersList,
  }),
  command({
    name: 'providers show',
    about: 'show what a model can do',
    arguments: { name: { about: 'the provider' } },
    options: { model: { value: 'NAME', about: 'the model, instead of its default' }, ...OPTIONS },
    examples: [['providers show agent-responses --model gpt-image-2', 'sizes, formats, limits']],
    exits: EXITS,
    load: async () => (await import('../commands/providers.ts')).runProvidersShow,
  }),
  command({
    name: 'artifacts list',
    about: 'list the images of the newest jobs',
    options: { ...LIMIT, ...OPTIONS },
    examples: [['artifacts list', 'with size, format and job']],
    exits: EXITS,
    load: async () => (await import('../commands/artifacts.ts')).runArtifactsList,
  }),
  command({
    name: 'artifacts show',
    about: 'show the name, type and checksum of an image',
    arguments: { id: { about: 'the id of the artifact' } },
    options: OPTIONS,
    examples: [[`artifacts show ${ARTIFACT}`, 'without its bytes']],
    exits: EXITS,
    load: async () => (await import('../commands/artifacts.ts')).runArtifactsShow,
  }),
  command({
    name: 'artifacts get',
    about: 'write an image to a file',
    arguments: { id: { about: 'the id of the artifact' } },
    options: {
      output: { value: 'FILE', short: 'o', isRequired: true, about: 'the file' },
      force: { about: 'replaces the file if it exists' },
      ...SERVICE_OPTION,
    },
    examples: [[`artifacts get ${ARTIFACT} -o lighthouse.png`, 'its verified bytes']],
    exits: EXITS,
    load: async () => (await import('../commands/artifacts.ts')).runArtifactsGet,
  }),
];
