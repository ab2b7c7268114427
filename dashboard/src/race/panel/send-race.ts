import { ApiError, unwrap } from '../../api/api.ts';
import type { JobRequest } from '../../api/schemas.ts';
import { randomId } from '../../make/draft.ts';
import { toRequestAgain } from '../../make/make-again.ts';
import { toRequest, toSettings } from '../../make/to-request.ts';
import type { Page } from '../../page.ts';
import { type Place, placeKey, type Racer, racePath, type Unsent } from '../race-state.ts';

/** The number of requests that are sent at the same time. */
const TOGETHER = 4;

interface Sending {
  readonly page: Page;
  readonly id: string;
  readonly base: JobRequest;
  /** The token of the race. The requests are not sent with another token. */
  readonly token: string | undefined;
}

/**
 * Opens a new race and sends a request for each prompt and model. A request that got no reply is sent again with the same
 * idempotency key when the bridge is reachable, so that no job is created twice. Throws FileMoved if an attached file cannot be read.
 */
export async function startRace(
  page: Page,
  prompts: readonly string[],
  racers: readonly Racer[],
): Promise<void> {
  const { draft, connection, race, router } = page;
  const { routing: _, session: __, output, ...settings } = draft.settings.peek();
  const { filename: ___, ...kept } = output ?? {};
  const shared = { ...settings, output: kept };
  const base = await toRequest(shared, draft.content());
  const id = randomId();
  const unsent = prompts.flatMap((prompt, row) =>
    racers.map((racer, column): Unsent => ({ row, column, racer, prompt, state: 'sending' })),
  );
  race.unsent.value = new Map(race.unsent.peek()).set(
    id,
    new Map(unsent.map((one) => [placeKey(one), one])),
  );
  router.navigate(racePath(id));
  const sending = { page, id, base, token: connection.token.peek() };
  race.resend.set(id, (requests) => {
    for (const one of requests) setUnsent(race, id, { ...one, state: 'sending' });
    // Whoever asks again sends the requests with the present token.
    void sendAll({ ...sending, token: connection.token.peek() }, requests);
  });
  await sendAll(sending, unsent);
}

async function sendAll(sending: Sending, requests: readonly Unsent[]): Promise<void> {
  const next = requests.values();
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const one of next) await sendOne(sending, one);
    }),
  );
}

/**
 * Sends the request of a place that has no job, for example because the page was reloaded while it sent the race. The settings and the
 * prompt are those of `job`, which is in the same row. The key of the request is the key of its place, so that no job is created twice.
 * Throws ApiError if the images of the job no longer exist.
 */
export async function sendPlace(
  page: Page,
  id: string,
  { row, column, racer, job }: Place & { readonly racer: Racer; readonly job: string },
): Promise<void> {
  const token = page.connection.token.peek();
  const other = await page.jobs.read(job);
  const again = await toRequestAgain(page.api, other);
  const one: Unsent = { row, column, racer, prompt: again.prompt, state: 'sending' };
  setUnsent(page.race, id, one);
  const parameters = { ...again.parameters };
  // The number of previews depends on the model.
  delete parameters.partial_images;
  await sendOne({ page, id, base: { ...again, parameters }, token }, one);
}

/** Stops the requests of a race that were not sent yet. */
export function stopSending({ race }: Pick<Page, 'race'>, id: string): void {
  for (const one of race.unsent.peek().get(id)?.values() ?? []) {
    if (one.state === 'sending') setUnsent(race, id, { ...one, state: 'stopped' });
  }
}

async function sendOne(sending: Sending, one: Unsent): Promise<void> {
  const { page, id, token } = sending;
  const { connection, race, resending } = page;
  const isSending = () => stateOf(race, id, one) === 'sending';
  if (!isSending()) return;
  if (connection.token.peek() !== token) return setUnsent(race, id, { ...one, state: 'stopped' });
  try {
    // The requests that are stopped while the bridge is unreachable are not sent again.
    const job = await resending.untilAnswered(async () =>
      isSending() ? send(sending, one) : undefined,
    );
    if (job === undefined) return;
    const isStopped = !isSending();
    setUnsent(race, id, { ...one, state: 'sent' });
    if (isStopped) await page.jobs.cancel(job.id);
  } catch (thrown) {
    const isOwn = connection.token.peek() === token;
    setUnsent(race, id, { ...one, state: isOwn ? ApiError.of(thrown) : 'stopped' });
  }
}

async function send({ page, id, base }: Sending, { row, column, racer, prompt }: Unsent) {
  const capabilities = page.providers.capabilities(racer.provider, racer.model);
  const body = {
    ...base,
    ...toSettings({ parameters: base.parameters ?? {} }, capabilities.peek()),
    prompt,
    routing: { provider: racer.provider, model: racer.model },
    group: { id, row, column },
  };
  const params = { header: { 'idempotency-key': `race ${id} ${row} ${column}` } };
  return unwrap(page.api.POST('/v1/jobs', { params, body }));
}

function setUnsent(race: Page['race'], id: string, one: Unsent): void {
  const cells = new Map(race.unsent.peek().get(id)).set(placeKey(one), one);
  race.unsent.value = new Map(race.unsent.peek()).set(id, cells);
}

function stateOf(race: Page['race'], id: string, place: Place): Unsent['state'] | undefined {
  return race.unsent.peek().get(id)?.get(placeKey(place))?.state;
}
