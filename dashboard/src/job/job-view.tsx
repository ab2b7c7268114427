import { ArrowLeft, SearchX, Unplug } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ApiError } from '../api/api.ts';
import type { Job, JobSummary } from '../api/schemas.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { rowArrows } from '../controls/reading-order.ts';
import { Blank } from '../gallery/states/blank.tsx';
import { isOpen } from '../jobs/job-state.ts';
import { stageText } from '../jobs/progress.tsx';
import { tablePath } from '../light-table/table-path.ts';
import { usePage } from '../page-context.ts';
import { type KeyBindings, useShortcuts } from '../shell/shortcuts.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/job-text.ts';
import { ChecksProvider, createChecks } from './credentials/checks.ts';
import { Family } from './family/family.tsx';
import { useFamily } from './family/use-family.ts';
import { ImageBar } from './image-bar/image-bar.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { ActionsProvider, createJobActions, useJobActions } from './job-actions.ts';
import { JobBar } from './job-bar.tsx';
import { Stage } from './stage/stage.tsx';
import { createJobDetail, isWorthRepeating, retryTime } from './state/job-detail.ts';
import { type Look, LookProvider, useLooking } from './state/look-context.ts';
import { stepOutput, VIEWS } from './state/looking.ts';
import { type Neighbours, useNeighbours } from './state/neighbours.ts';
import { useRetryOfUndo } from './state/use-retry-of-undo.ts';
import { Strip } from './strip/strip.tsx';
import './job-view.css';

const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function JobView({ id }: { readonly id: string }) {
  return JOB_ID.test(id) ? <NamedJob id={id} /> : <JobLost error={undefined} onRetry={() => {}} />;
}

/** Renders a job whose id is valid. The component stays mounted when another job is shown, to keep the focus. */
function NamedJob({ id }: { readonly id: string }) {
  const page = usePage();
  const detail = useMemo(() => createJobDetail(page, id), [page, id]);
  const actions = useMemo(() => createJobActions(page, detail, id), [page, detail, id]);
  useEffect(() => detail.close, [detail]);
  useRetryOfUndo(id, detail);
  const { value: job } = detail.job;
  const { value: error } = detail.error;
  const { value: summary } = detail.summary;
  // The known facts of the job stay visible while the bridge is unreachable. 404 means that the job was removed.
  const isKnown = job !== undefined || (summary !== undefined && error?.code === 'unreachable');
  if (error !== undefined && (!isKnown || error.status === 404)) {
    return <JobLost error={error} onRetry={() => void detail.read()} />;
  }
  return (
    <ActionsProvider value={actions}>
      <JobScreen id={id} job={job} summary={summary} error={error} />
    </ActionsProvider>
  );
}

interface JobScreenProps {
  readonly id: string;
  /** Undefined until the job has been read. Until then, space is reserved for the content. */
  readonly job: Job | undefined;
  readonly summary: JobSummary | undefined;
  readonly error: ApiError | undefined;
}

function JobScreen({ id, job, summary, error }: JobScreenProps) {
  const { api } = usePage();
  const heading = useRef<HTMLHeadingElement>(null);
  const checks = useMemo(() => createChecks(api), [api, id]);
  const family = useFamily(id);
  const look = useLooking(id, job, summary, family);
  const { neighbours, go } = useNeighbours(id);
  useJobKeys({ job, look, neighbours, go });
  const prompt = (job?.request.prompt ?? summary?.prompt ?? '').slice(0, 256);
  useTitle(prompt);
  // The heading is focused so that screen readers and the Tab key start there.
  useEffect(() => heading.current?.focus(), []);
  // The focused control may belong to the job that was in view before, or to a message that is closed.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [id]);
  return (
    <LookProvider value={look}>
      <ChecksProvider value={checks}>
        <div class="job-screen">
          <JobBar job={job} prompt={prompt} heading={heading} />
          <main>
            <Stage job={job} />
            {job && <ImageBar job={job} />}
            <Strip job={job} neighbours={neighbours} onChoose={go} />
            <Family id={id} family={family} />
            <p class="sr" role="status">
              {job && stateText(job)}
            </p>
          </main>
          {job ? (
            <Inspector job={job} family={family} />
          ) : (
            <UnreadJob prompt={prompt} error={error} />
          )}
        </div>
      </ChecksProvider>
    </LookProvider>
  );
}

/** Shows what the list says about a job that has not been read yet, and why it could not be read. */
function UnreadJob({
  prompt,
  error,
}: {
  readonly prompt: string;
  readonly error?: ApiError | undefined;
}) {
  const words = error && toFailureText(error, Date.now());
  return (
    <aside class="inspector" aria-label={text('job.about')}>
      {words && (
        <section class="stack" role="status">
          <h2>{words.title}</h2>
          <p class="soft">{text('job.unread')}</p>
          <p dir="auto">{prompt}</p>
        </section>
      )}
    </aside>
  );
}

function stateText(job: Job): string {
  if (isOpen(job)) return stageText(job, job.request.parameters.n);
  const state = text(`gallery.status.${job.status}`);
  return job.retried_as === undefined ? state : `${state}. ${text('job.retriedAs')}`;
}

function useTitle(prompt: string): void {
  useEffect(() => {
    document.title =
      prompt === '' ? text('app.name') : `${prompt.slice(0, 60)} – ${text('app.name')}`;
    return () => {
      document.title = text('app.name');
    };
  }, [prompt]);
}

interface JobLostProps {
  /** The reason why the job cannot be shown. Undefined if the address contains no valid job id. */
  readonly error: ApiError | undefined;
  readonly onRetry: () => void;
}

/** Explains that a job does not exist or cannot be read. */
function JobLost({ error, onRetry }: JobLostProps) {
  const { router } = usePage();
  useShortcuts({ Escape: () => void router.back() });
  const isRemoved = error === undefined || error.status === 404;
  const words = isRemoved
    ? { title: text('failure.not_found.title'), text: text('failure.not_found.text') }
    : toFailureText(error, Date.now());
  return (
    <div class="job-lost">
      <header class="bar row">
        <IconButton icon={ArrowLeft} label={text('job.back')} onClick={() => void router.back()} />
        <h1 class="title cut">{text('job.title')}</h1>
      </header>
      <main>
        <Blank icon={isRemoved ? SearchX : Unplug} title={words.title} detail={words.text}>
          <Button onClick={isRemoved ? () => router.navigate('') : onRetry}>
            {text(isRemoved ? 'app.toImages' : 'action.retry')}
          </Button>
        </Blank>
      </main>
    </div>
  );
}

interface Keys {
  readonly job: Job | undefined;
  readonly look: Look;
  readonly neighbours: Neighbours;
  readonly go: (id: string) => void;
}

/** Binds the keys of the job view. */
function useJobKeys({ job, look, neighbours, go }: Keys): void {
  const { router } = usePage();
  const actions = useActionKeys(job, look);
  const { zoom, looking } = look;
  useShortcuts({
    ...actions,
    ...rowArrows((by, event) => unlessScrolling(() => toNeighbour(by))(event)),
    ArrowUp: unlessScrolling(() => step(-1)),
    ArrowDown: unlessScrolling(() => step(1)),
    ...Object.fromEntries(VIEWS.map((view, index) => [String(index + 1), () => show(view)])),
    s: () => looking.a && look.swap(),
    l: openTable,
    '+': zoom.zoomIn,
    'Shift++': zoom.zoomIn,
    '=': zoom.zoomIn,
    '-': zoom.zoomOut,
    '0': zoom.fit,
    Escape: () => void router.back(),
  });

  function show(view: (typeof VIEWS)[number]): void {
    if (looking.views.includes(view)) {
      router.setQuery({ view: view === 'single' ? undefined : view });
    }
  }

  function openTable(): void {
    const count = look.images.filter(({ kind }) => kind === 'output').length;
    if (job !== undefined && count > 1) router.navigate(tablePath([job.id]));
  }

  /** The newer job is at the start of the row, and the older job at its end. */
  function toNeighbour(by: -1 | 1): void {
    const to = by < 0 ? neighbours.newer : neighbours.older;
    if (to !== undefined) go(to);
  }

  function step(by: -1 | 1): void {
    const image = stepOutput(look.images, looking, by);
    if (image !== undefined) router.setQuery({ b: image.ref });
  }
}

function useActionKeys(job: Job | undefined, { looking, images }: Look): KeyBindings {
  const actions = useJobActions();
  if (job === undefined) return {};
  const outputs = images.filter(({ kind }) => kind === 'output');
  const shown = outputs.find((each) => each === looking.b) ?? outputs[0];
  const hide = () => actions.setHidden(job.deleted === undefined);
  return {
    f: () => actions.setFavorite(!job.favorite),
    h: () => !isOpen(job) && hide(),
    Delete: () => (isOpen(job) ? actions.cancel() : hide()),
    e: () => shown && actions.edit(shown, job),
    u: () => shown && actions.refer(shown, job),
    v: ({ repeat }) => shown && !repeat && actions.vary(shown, job),
    r: () => {
      const isTooEarly = (retryTime(job) ?? 0) > Date.now();
      if (isWorthRepeating(job) && !isTooEarly) actions.makeAgain(job);
    },
    d: () => shown && void actions.download(shown),
  };
}

/** Returns a key handler that does nothing inside a scrollable element, which handles the arrow keys itself. */
function unlessScrolling(run: () => void) {
  return (event: KeyboardEvent): void => {
    if (event.target instanceof Element && event.target.closest('.scroll') !== null) return;
    event.preventDefault();
    run();
  };
}
