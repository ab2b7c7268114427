import { signal } from '@preact/signals';
import { type Api, createApi } from './api/api.ts';
import { type Connection, createConnection } from './connection/connection.ts';
import { createResending, type Resending } from './connection/resending.ts';
import { createTokenRetry } from './connection/token-retry.ts';
import { createActivity } from './diagnostics/activity.ts';
import { createDiagnostics } from './diagnostics/diagnostics.ts';
import { createGalleryState, type GalleryState } from './gallery/state/gallery-state.ts';
import { createImageCache } from './images/image-cache.ts';
import { createJobBatches } from './jobs/job-batches.ts';
import { createShownJobs } from './jobs/job-feed.ts';
import { createJobUndo } from './jobs/job-undo.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { watchJobs } from './jobs/live-jobs.ts';
import { hasNotes } from './jobs/notes-prefix.ts';
import type { WaitingNotes } from './jobs/waiting-notes.ts';
import { createDraft } from './make/draft.ts';
import { browserStorage, keepDraft } from './make/draft-storage.ts';
import { toChosenModel } from './make/model-abilities.ts';
import { createPlanner } from './make/planner.ts';
import { createPresets } from './make/presets/presets.ts';
import { createSubmissions } from './make/submissions.ts';
import { createProviders } from './providers/providers.ts';
import { createOwnQueue } from './queue/own-queue.ts';
import { createQueue } from './queue/queue.ts';
import { createRaceState } from './race/race-state.ts';
import { createRouter } from './router.ts';
import { applyTheme } from './shell/preferences.ts';
import { createToasts, type Toasts } from './shell/toasts.ts';
import { createToday } from './shell/today.ts';
import { createUndo, type Undo } from './shell/undo.ts';
import { createUsage } from './usage/usage.ts';

export type Page = ReturnType<typeof createPage>;

/** Creates all objects that outlive a view. Called once. Views access the objects with `usePage`. */
export function createPage() {
  const router = createRouter();
  const ofConnection = createConnectionObjects();
  const { connection, api } = ofConnection;
  const images = createImageCache(api, connection);
  const providers = createProviders(api, connection);
  const toasts = createToasts();
  const resending = createResending({ connection, toasts });
  const undo = createUndo(toasts);
  const ofJobs = createJobObjects(api, { connection, toasts, undo, resending });
  const { jobs, ownQueue } = ofJobs;
  const today = createToday(document);
  /** The open help dialog: keyboard shortcuts, or how to use a real model instead of the sandbox. */
  const help = signal<'shortcuts' | 'realModel' | undefined>(undefined);
  const draft = createDraft();
  const chosen = toChosenModel(draft.settings, providers);
  const plan = createPlanner({ api, connection, draft, chosen });
  const diagnostics = createDiagnostics(api, connection);
  const activity = createActivity(jobs, diagnostics);
  const usage = createUsage(api, connection);
  const queue = createQueue({ api, connection, jobs, ownQueue, diagnostics });
  const presets = createPresets(api);
  const submissions = createSubmissions(api, jobs, resending.untilAnswered);
  const race = createRaceState();
  let gallery: GalleryState | undefined;
  /** Creates the state of the gallery, which is kept during visits to other views. */
  function openGallery(): GalleryState {
    gallery ??= createGalleryState({ router, api, jobs, connection });
    return gallery;
  }

  keepDraft(draft, {
    caller: connection.caller,
    storage: browserStorage(),
    onPageHide: (listener) => window.addEventListener('pagehide', listener),
    onRemoved() {
      undo.clear();
      toasts.clear();
    },
    nowMs: Date.now,
  });
  applyTheme();
  watchJobs({ api, connection, jobs, ownQueue });
  // The first page of jobs is requested before the page is rendered.
  if (router.route.peek().view === 'images') openGallery();
  return {
    router,
    ...ofConnection,
    images,
    ...ofJobs,
    providers,
    resending,
    toasts,
    undo,
    today,
    help,
    draft,
    chosen,
    plan,
    presets,
    openGallery,
    diagnostics,
    activity,
    queue,
    usage,
    submissions,
    race,
  };
}

/** Creates the objects that reach the bridge. */
function createConnectionObjects() {
  const connection = createConnection();
  const api = createApi(connection);
  return { connection, api, tokenRetry: createTokenRetry({ api, connection, page: document }) };
}

/** The notes that wait to be sent. Undefined until `openNotes` of `jobs/waiting-notes.ts` has been called. */
interface Notes {
  opened: WaitingNotes | undefined;
}

interface NoteParts {
  readonly jobs: Jobs;
  readonly connection: Connection;
  readonly toasts: Toasts;
}

/** Creates the place of the waiting notes, and sends the notes that were written before a reload. Their code is loaded later. */
function createNotes(parts: NoteParts): Notes {
  const notes: Notes = { opened: undefined };
  if (hasNotes(sessionStorage)) {
    void import('./jobs/waiting-notes.ts').then(({ openNotes }) => openNotes({ ...parts, notes }));
  }
  return notes;
}

/** Creates the objects that know jobs and change jobs. */
function createJobObjects(
  api: Api,
  parts: {
    readonly connection: Connection;
    readonly toasts: Toasts;
    readonly undo: Undo;
    readonly resending: Resending;
  },
) {
  const { connection, toasts, resending } = parts;
  const jobs = createJobs(api, resending.untilAccepted);
  const jobUndo = createJobUndo(api, { ...parts, jobs, storage: sessionStorage });
  return {
    jobs,
    shown: createShownJobs(api, jobs),
    jobUndo,
    batches: createJobBatches(api, { toasts, resending, jobUndo }),
    ownQueue: createOwnQueue(api),
    notes: createNotes({ jobs, connection, toasts }),
  };
}
