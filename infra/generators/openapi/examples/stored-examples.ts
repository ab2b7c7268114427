import {
  ARTIFACT_ID,
  ARTIFACT_RESPONSE,
  CREATED,
  type Examples,
  IMAGE,
  JOB_ID,
  PARAMETERS,
  PNG_SHA256,
  POLICIES,
  REQUEST_ID,
  TIMINGS,
} from './shared-values.ts';

const PARENT_ID = '0198c0de-0000-7000-8000-000000000009';

const JOB = {
  id: JOB_ID,
  status: 'queued',
  created: CREATED,
  updated: CREATED,
  cancel_requested: false,
  favorite: false,
};

const ENDED = {
  ...JOB,
  status: 'succeeded',
  updated: CREATED + 2,
  started: CREATED + 1,
  completed: CREATED + 2,
};

const JOB_REQUEST = {
  operation: 'edit',
  negative_prompt: null,
  parameters: PARAMETERS,
  output: {
    response_format: 'artifact',
    directory: 'cats',
    collision: 'error',
    metadata: 'none',
    transparency: {
      mode: 'auto',
      key_color: null,
      transparent_threshold: 12,
      opaque_threshold: 96,
      despill: true,
    },
  },
  routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
  session: { mode: 'isolated' },
  policies: POLICIES,
  timeout_ms: null,
  user: null,
  metadata: {},
  version: '1',
  prompt: 'the same cat, ginger',
  images: [
    { type: 'stored', sha256: PNG_SHA256, media_type: 'image/png', bytes: 69, width: 1, height: 1 },
  ],
  mask: null,
  reference_images: [],
};

const DONE = { ...ENDED, request: JOB_REQUEST, result: ARTIFACT_RESPONSE };

const ARTIFACT = { id: ARTIFACT_ID, width: 1, height: 1, format: 'png', bytes: 69 };

const SUMMARY = {
  ...ENDED,
  operation: 'edit',
  prompt: 'the same cat, ginger',
  provider: 'sandbox',
  model: 'sandbox-image',
  outputs: 1,
  size: 'auto',
  inputs: 1,
  artifacts: [ARTIFACT],
};

const PRESET = {
  name: 'icons',
  description: 'Flat icons on nothing',
  template: {
    operation: 'generate',
    parameters: { background: 'transparent' },
    output: {},
    routing: {},
    session: {},
    policies: {},
    metadata: {},
  },
  created: CREATED,
  updated: CREATED,
};

const RECORD = {
  version: '1',
  request_id: REQUEST_ID,
  completed: CREATED + 2,
  operation: 'generate',
  inputs: { images: 0, mask: 0, reference_images: 0 },
  prompt: 'a ginger cat',
  policies: POLICIES,
  requested: PARAMETERS,
  effective: PARAMETERS,
  normalizations: [],
  provider: 'sandbox',
  model: 'sandbox-image',
  timings: TIMINGS,
  warnings: ['sandbox_output'],
  metadata: {},
  image: IMAGE,
};

const GATE = { active: 0, queued: 0, max_concurrent: 'unlimited', max_queued: 'unlimited' };

const DIAGNOSTICS = {
  service_version: '0.1.0',
  started: CREATED,
  uptime_ms: 86_400_000,
  listener: { scope: 'loopback', port: 8787 },
  authentication_required: false,
  configuration: { version: 1, origins: [{ field: 'server.bind', source: 'default' }] },
  runtime: {
    global: GATE,
    providers: { sandbox: { ...GATE, breaker: { state: 'closed', failures: 0, opens: 0 } } },
  },
  providers: [{ name: 'sandbox', ready: true, checked: CREATED, restarts: 0 }],
  jobs: {
    enabled: true,
    by_status: {
      queued: 0,
      running: 0,
      succeeded: 12,
      failed: 1,
      cancelled: 0,
      interrupted: 0,
    },
    hidden: 0,
    favorite: 2,
    active_workers: 0,
    limits: {
      max_pending: 1000,
      max_running: 4,
      max_running_total: 'unlimited',
      max_database_bytes: 1_073_741_824,
    },
    retention: { retention_secs: 604_800, max_retained: 10_000, max_retained_bytes: 268_435_456 },
    reserved_bytes: 0,
    logical_bytes: 48_211,
  },
  webhooks: { enabled: true, pending: 0 },
  storage: {
    database_bytes_logical: 61_440,
    database_bytes_physical: 94_208,
    artifacts_count: 14,
    artifacts_bytes: 29_360_128,
  },
  tasks: [
    { name: 'readiness-probe', last_success: CREATED, failures: 0 },
    { name: 'artifact-retention', failures: 0 },
  ],
  events: {
    capacity: 256,
    overwritten: 0,
    items: [
      {
        sequence: 1,
        timestamp_ms: CREATED * 1000,
        method: 'POST',
        route: '/v1/images',
        status: 200,
        duration_ms: 431,
      },
    ],
  },
};

const USAGE_CALLER = {
  name: 'alice',
  permissions: ['images', 'jobs', 'read'],
  allowance: { images_per_day: 100, used: 12, resets: CREATED + 86_400 },
  budget: {
    currency: 'USD',
    per_day: '5',
    used_today: '0.47',
    used_this_month: '12.3',
    unknown_cost: 'refuse',
  },
};

const COST = { cost: { amount: '0.44', currency: 'USD', basis: 'reported' }, unknown_images: 0 };

const COUNTS = { images: 11, failed: 1, unknown: 1, lost: 0, tokens: 4321, ...COST };

const DAY_USAGE = {
  day: '2026-01-01',
  ...COUNTS,
  by_provider: { 'agent-responses': COUNTS },
  by_model: [{ provider: 'agent-responses', model: 'gpt-image-2', ...COUNTS }],
};

const BOB = {
  ...{ kind: 'named', name: 'bob', ...COUNTS, today: COUNTS },
  allowance: { images_per_day: 50, used: 12, resets: CREATED + 86_400 },
};

/** Examples of replies about stored resources, by component. */
export const STORED_EXAMPLES: Examples = {
  ImageJob: {
    queued: { summary: 'An accepted job', value: { ...JOB, request: JOB_REQUEST } },
    succeeded: {
      summary: 'A succeeded job whose webhook was delivered',
      value: { ...DONE, webhook: { status: 'delivered', attempts: 2, last_status: 204 } },
    },
  },
  WebhookMessage: {
    succeeded: {
      summary: 'A succeeded job',
      value: { type: 'job.succeeded', timestamp: '2026-01-01T00:00:02.000Z', data: DONE },
    },
  },
  ImageJobPage: {
    first: {
      summary: 'The newest jobs',
      value: {
        items: [SUMMARY],
        next_cursor: 'eyJhZnRlciI6MTJ9',
      },
    },
  },
  ImageJobDays: {
    two: {
      summary: 'Two days with jobs',
      value: {
        days: [
          { date: '2026-01-01', start: CREATED, count: 18 },
          { date: '2025-12-24', start: CREATED - 691_200, count: 41 },
        ],
        more: false,
      },
    },
  },
  ImageJobLabels: {
    two: {
      summary: 'Two labels',
      value: {
        items: [
          { label: 'poster', count: 41 },
          { label: 'spring', count: 7 },
        ],
      },
    },
  },
  PromptPage: {
    first: {
      summary: 'A prompt that was used three times',
      value: { items: [{ prompt: SUMMARY.prompt, count: 3, job: SUMMARY }] },
    },
  },
  ImageJobFamily: {
    edit: {
      summary: 'An edit and the job that made its image',
      value: {
        items: [
          {
            ...SUMMARY,
            inputs: 2,
            distance: 0,
            derived_from: [
              {
                ...{ input: 0, artifact_id: ARTIFACT_ID, job_id: PARENT_ID, image: 0 },
                ...{ name: 'cats/ginger.png', width: 1, height: 1, created: CREATED },
              },
            ],
            mask: { input: 1, sha256: PNG_SHA256, width: 1, height: 1 },
          },
          { ...SUMMARY, id: PARENT_ID, distance: 1 },
        ],
        total: { count: 2, at_least: false },
      },
    },
  },
  ImageJobEvent: {
    snapshot: {
      summary: 'The current state of the job',
      value: { type: 'snapshot', job: { ...JOB, request: JOB_REQUEST } },
    },
    progress: {
      summary: 'The next stage of the job',
      value: { type: 'progress', stage: 'generating', index: 0 },
    },
    partial_image: {
      summary: 'A new partial image',
      value: { type: 'partial_image', index: 0, partial_index: 0, width: 1, height: 1 },
    },
    ended: { summary: 'The ended job', value: { type: 'ended', job: DONE } },
  },
  ImageJobFeedEvent: {
    job: {
      summary: 'A changed job',
      value: { type: 'job', snapshot: false, job: SUMMARY },
    },
    removed: { summary: 'A removed job', value: { type: 'removed', id: JOB_ID } },
  },
  ImageQueue: {
    busy: {
      summary: 'Four running and two queued jobs',
      value: {
        paused: false,
        queued: 2,
        running: 4,
        max_running: 4,
        oldest_queued_age_ms: 12_000,
        by_provider: { sandbox: { queued: 2, running: 4 } },
      },
    },
  },
  ImageJobBatchResult: {
    cancelled: {
      summary: '59 jobs are cancelled, and one has started',
      value: {
        done: 59,
        skipped: [{ reason: 'running', count: 1, ids: ['01928c3a-7f00-7000-8000-0000000000a1'] }],
        undo: { id: '01928c3a-7f00-7000-8000-0000000000b1', expires: CREATED + 86_400 },
      },
    },
  },
  OwnImageQueue: {
    busy: {
      summary: 'A running and a waiting job',
      value: {
        paused: false,
        max_running: 4,
        running: [{ id: '01928c3a-7f00-7000-8000-0000000000a1', usual_ms: 22_000 }],
        waiting: [
          {
            id: '01928c3a-7f00-7000-8000-0000000000a2',
            position: 2,
            owner: 'laptop',
            usual_ms: 22_000,
            estimated_start: CREATED + 30,
          },
        ],
        queued: 1,
        done: CREATED + 52,
      },
    },
  },
  ImagePreset: { icons: { summary: 'A preset for icons', value: PRESET } },
  ImagePresetPage: { first: { summary: 'The presets by name', value: { items: [PRESET] } } },
  SessionBinding: {
    bound: {
      summary: 'A session key with its thread',
      value: { key: 'storyboard', thread_id: 'thread-7c1f', reused: true },
    },
  },
  MarkedArtifact: {
    favorite: {
      summary: 'A favorite image',
      value: { ...ARTIFACT, favorite: true, job_id: JOB_ID, image: 0 },
    },
  },
  ImageMetadataRecord: { sidecar: { summary: 'The content of a sidecar', value: RECORD } },
  Diagnostics: { idle: { summary: 'An idle bridge', value: DIAGNOSTICS } },
  UsageReport: {
    alice: {
      summary: 'A token with an allowance',
      value: { caller: USAGE_CALLER, items: [DAY_USAGE] },
    },
    all: {
      summary: 'The usage of all tokens',
      value: { caller: USAGE_CALLER, items: [DAY_USAGE], by_token: [BOB] },
    },
  },
};
