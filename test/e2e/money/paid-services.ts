import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Behaviour } from '../../support/task-upstream/behaviour.ts';
import { BFL_UPSTREAM } from '../../support/task-upstream/services/bfl.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import type { TaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { providerSettings } from '../providers/openai-images-rig.ts';

/** The names of the providers, which are those of their services. */
export const SERVICES = ['fal', 'bfl', 'xai', 'openrouter'] as const;
export type Service = (typeof SERVICES)[number];

/** The charge of each service for an image, in units of 10^-10 USD. */
export const CHARGED_IMAGE: Readonly<Record<Service, bigint>> = {
  fal: 250_000_000n,
  bfl: 300_000_000n,
  xai: 200_000_000n,
  openrouter: 400_000_000n,
};

/**
 * The most expensive image that a request for all services can cost: one of Black Forest Labs with 4 megapixels, because its model
 * chooses the size.
 */
export const DEAREST_IMAGE = 750_000_000n;

/** The prices of an image that the operator knows. Those of Black Forest Labs are shipped. */
const PRICES = `
[[price]]
kind = "task"
service = "fal"
model = "fal-ai/flux/dev"
per = "image"
amount = "0.025"

[[price]]
kind = "openai_images"
dialect = "xai"
model = "grok-imagine-image"
per = "image"
amount = "0.02"

[[price]]
kind = "openai_images"
dialect = "openrouter"
model = "openai/gpt-image-2"
per = "image"
amount = "0.04"
`;

/** Failures of submissions whose task the bridge can identify, or that made none. */
const TASK_FAILURES: readonly [Behaviour, ...Behaviour[]] = [
  { submission: 'cut' },
  { submission: 'rate_limited' },
  { submission: 'server_error' },
  { end: 'failed' },
  { end: 'moderated' },
  { end: 'lost' },
  { image: 'expired' },
  { reads: ['server_error', 'cut'] },
];

/** Failures of submissions that made a task whose id does not arrive. */
const LOST_TASKS: readonly [Behaviour, ...Behaviour[]] = [
  { submission: 'made_cut' },
  { submission: 'made_html_502' },
];

/** Failures of calls whose id arrives, or that draw nothing. */
const CALL_FAILURES = ['status=429', 'status=500', 'status=400', 'status=524', 'cut=body'] as const;
/** A failure of a call that is charged, and whose id does not arrive. */
const LOST_CALL = 'cut=before-headers';
/** One call in so many fails. */
const FAILURES_IN = 5;
/** One failure in so many loses the id of the call. */
const LOST_IN = 4;
const MAX_CALLS = 10_000;
const CALL_DELAY_MS = 30;
const IMAGE_BYTES = 2000;

export type PaidServices = Awaited<ReturnType<typeof startPaidServices>>;

/**
 * Starts strict emulators of four services that charge, and of whose calls a fifth fail at random. Each service keeps a ledger.
 * With `losesIds`, some charged calls fail before their id arrives.
 */
export async function startPaidServices(
  seeded: Seeded,
  { losesIds }: { readonly losesIds: boolean },
) {
  const fal = await createTaskUpstream({ service: FAL_UPSTREAM, imageBytes: IMAGE_BYTES });
  const bfl = await createTaskUpstream({ service: BFL_UPSTREAM, imageBytes: IMAGE_BYTES });
  const xai = await createImagesUpstream({ dialect: 'xai', imageBytes: IMAGE_BYTES });
  const openrouter = await createImagesUpstream({ dialect: 'openrouter', imageBytes: IMAGE_BYTES });
  const tasks = { fal, bfl };
  const images = { xai, openrouter };
  const isFailure = () => seeded.next(FAILURES_IN) === 0;
  const isLost = () => losesIds && seeded.next(LOST_IN) === 0;
  const taskFailure = () => seeded.pick(isLost() ? LOST_TASKS : TASK_FAILURES);
  const callFailure = () => (isLost() ? LOST_CALL : seeded.pick(CALL_FAILURES));
  for (let call = 0; call < MAX_CALLS; call += 1) {
    for (const task of Object.values(tasks)) {
      task.next(isFailure() ? taskFailure() : {});
    }
    for (const upstream of Object.values(images)) {
      const behaviour = isFailure() ? callFailure() : 'succeed';
      upstream.script({ behaviour, delayMs: CALL_DELAY_MS });
    }
  }

  return {
    prices: PRICES,
    env: {
      FAL_KEY: fal.key,
      BFL_KEY: bfl.key,
      XAI_KEY: xai.key() ?? '',
      OPENROUTER_KEY: openrouter.key() ?? '',
    },
    settings: [
      ...taskSettings('fal', fal, 'fal-ai/flux/dev'),
      ...taskSettings('bfl', bfl, 'flux-2-pro'),
      ...providerSettings('xai', xai, {
        api_key_env: 'XAI_KEY',
        models: ['grok-imagine-image'],
        image_model: 'grok-imagine-image',
        catalogue: 'off',
      }),
      ...providerSettings('openrouter', openrouter, {
        api_key_env: 'OPENROUTER_KEY',
        models: ['openai/gpt-image-2'],
        image_model: 'openai/gpt-image-2',
        catalogue: 'off',
      }),
    ],
    /** Resolves when no call of an earlier process is being drawn. */
    async settled(): Promise<void> {
      for (const upstream of Object.values(images)) {
        await upstream.until(() => upstream.counters().open === 0);
      }
    },
    /** Returns the charges of a service for the requests whose prompt passes, in units of 10^-10 USD. */
    chargedBy(service: Service, prompts: readonly string[]): bigint {
      return service === 'fal' || service === 'bfl'
        ? taskCharges(tasks[service], prompts)
        : imageCharges(images[service], prompts);
    },
    /** Number of submissions and calls of all services. */
    calls: () =>
      fal.submitted() + bfl.submitted() + xai.counters().calls + openrouter.counters().calls,
    /** Begins the requests of a bridge that replaces a killed one. */
    replaceClient(): void {
      for (const upstream of Object.values(tasks)) upstream.replaceClient();
    },
    /** Requests that a correct client never sends. */
    violations: () => [...fal.violations(), ...bfl.violations()],
    async close(): Promise<void> {
      for (const upstream of [fal, bfl, xai, openrouter]) await upstream.close();
    },
  };
}

function taskSettings(service: Service, { url }: TaskUpstream, model: string): string[] {
  const named = `providers.task.${service}`;
  return [
    `${named}.service=${service}`,
    `${named}.base_url=${url}`,
    `${named}.api_key_env=${service.toUpperCase()}_KEY`,
    `${named}.models=["${model}"]`,
    `${named}.image_model=${model}`,
    `${named}.catalogue=off`,
    `${named}.transient_backoff_ms=1`,
  ];
}

function taskCharges(upstream: TaskUpstream, prompts: readonly string[]): bigint {
  const own = new Set(prompts);
  return upstream
    .ledger()
    .filter(({ prompt }) => own.has(prompt))
    .reduce((sum, { charge }) => sum + charge, 0n);
}

function imageCharges(upstream: ImagesUpstream, prompts: readonly string[]): bigint {
  const [bill] = upstream.bills;
  if (bill === undefined) return 0n;
  const images = prompts.reduce((sum, prompt) => sum + upstream.drawnFor(prompt), 0);
  return (bill.amount / BigInt(bill.images)) * BigInt(images);
}
