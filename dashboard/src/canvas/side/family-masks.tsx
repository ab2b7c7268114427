import { FileX } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, unwrap } from '../../api/api.ts';
import { Button, Icon } from '../../controls/button.tsx';
import { useImage } from '../../images/use-image.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/canvas-text.ts';
import { toFailureText } from '../../text/failure-text.ts';
import type { Edit } from '../edit.ts';
import { type FamilyMask, masksOf } from '../family-masks.ts';
import { readMask } from '../mask-image.ts';
import './family-masks.css';

interface FamilyMasksProps {
  readonly edit: Edit;
  /** The job that made the image. */
  readonly jobId: string;
}

/**
 * Shows the masks that were sent with the image, or with relatives of the same size. Choosing a mask replaces the mask of the edit in
 * one step. Nothing is requested until the row is seen, and then one family, which has at most 60 jobs. Renders no row if there are no
 * masks, or if the token may not read the job.
 */
export function FamilyMasks({ edit, jobId }: FamilyMasksProps) {
  const row = useRef<HTMLDivElement>(null);
  const { masks, readAgain } = useMasks(edit, jobId, useSeen(row));
  const isShown =
    masks.state !== 'waiting' && !(masks.state === 'ready' && masks.list.length === 0);
  return (
    <div class="family-masks" ref={row}>
      {isShown && (
        <section class="block stack" aria-labelledby="masks-title">
          <header>
            <h3 id="masks-title" class="soft">
              {text('canvas.masks')}
            </h3>
          </header>
          {masks.state === 'slow' && <Shapes />}
          {(masks.state === 'failed' || masks.state === 'again') && (
            <div class="failed" role="status">
              <p>
                {text(masks.state === 'again' ? 'canvas.masks.loading' : 'canvas.masks.failed')}
              </p>
              <Button size="small" onClick={readAgain}>
                {text('action.retry')}
              </Button>
            </div>
          )}
          {masks.state === 'ready' && <Masks edit={edit} masks={masks.list} />}
        </section>
      )}
    </div>
  );
}

/** Returns true as soon as a part of the element has been on the screen. */
function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null || isSeen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, isSeen]);
  return isSeen;
}

type Found =
  | { readonly state: 'waiting' | 'slow' | 'failed' | 'again' }
  | { readonly state: 'ready'; readonly list: readonly FamilyMask[] };

/** The time in milliseconds before the shapes of the row are shown. Most images have no masks, and their row would only flash. */
const SLOW_MS = 400;

/** Reads the masks when the row is seen, and after a failure when the bridge is reachable again. */
function useMasks({ source }: Edit, jobId: string, isSeen: boolean) {
  const { api, connection } = usePage();
  const [masks, setMasks] = useState<Found>({ state: 'waiting' });
  const [attempt, setAttempt] = useState(0);
  const isReady = useRef(false);
  const { value: returns } = connection.returns;

  // A new attempt and a return of the bridge read the masks again.
  useEffect(() => {
    if (!isSeen || isReady.current) return;
    const controller = new AbortController();
    const { signal } = controller;
    setMasks((before) => (before.state === 'failed' ? { state: 'again' } : before));
    const timer = setTimeout(() => {
      setMasks((before) => (before.state === 'waiting' ? { state: 'slow' } : before));
    }, SLOW_MS);
    const show = (found: Found) => {
      clearTimeout(timer);
      if (signal.aborted) return;
      isReady.current = found.state === 'ready';
      setMasks(found);
    };
    const params = { path: { id: jobId } };
    unwrap(api.GET('/v1/jobs/{id}/family', { params, signal })).then(
      (family) => show({ state: 'ready', list: masksOf(family, source) }),
      (error: unknown) =>
        show(isAbsent(error) ? { state: 'ready', list: [] } : { state: 'failed' }),
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, jobId, source, isSeen, attempt, returns]);

  return { masks, readAgain: () => setAttempt(attempt + 1) };
}

/** Returns true if the job was removed, or if the token may not read the job. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'not_found' || error.code === 'permission_denied')
  );
}

function Shapes() {
  return (
    <div role="status">
      <span class="sr">{text('canvas.masks.loading')}</span>
      <ul>
        {['one', 'two', 'three'].map((name) => (
          <li key={name} class="mask-thumb" />
        ))}
      </ul>
    </div>
  );
}

interface MasksProps {
  readonly edit: Edit;
  readonly masks: readonly FamilyMask[];
}

function Masks({ edit, masks }: MasksProps) {
  const { choose, busy, chosen, gone, problem } = useChoice(edit);
  return (
    <>
      <ul>
        {masks.map((mask) => (
          <li key={mask.sha256}>
            <MaskThumb
              mask={mask}
              edit={edit}
              isBusy={busy === mask.sha256}
              isChosen={chosen === mask.sha256}
              isGone={gone.has(mask.sha256)}
              onChoose={() => void choose(mask)}
            />
          </li>
        ))}
      </ul>
      <p class="bad" role="status">
        {problem}
      </p>
    </>
  );
}

/** Puts masks in place of the mask of the edit. */
function useChoice(edit: Edit) {
  const { api } = usePage();
  const [busy, setBusy] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState('');
  const running = useRef<AbortController | undefined>(undefined);

  useEffect(
    () =>
      // A change of the mask that is made while another mask is loaded stays.
      edit.subscribe(() => {
        running.current?.abort();
        setBusy(undefined);
        setChosen(undefined);
      }),
    [edit],
  );
  useEffect(() => () => running.current?.abort(), []);

  function fail(error: unknown, sha256: string): void {
    const isGone = error instanceof ApiError && error.code === 'not_found';
    if (isGone) setGone((before) => new Set(before).add(sha256));
    if (isGone) setProblem(text('canvas.masks.gone'));
    else if (error instanceof ApiError) setProblem(toFailureText(error, Date.now()).title);
    else setProblem(text('canvas.masks.unreadable'));
  }

  async function choose({ sha256, path }: FamilyMask): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setProblem('');
    setBusy(sha256);
    try {
      const reply = await api.bytes(path, { signal });
      const pixels = await readMask(await reply.blob(), edit.plane);
      // An outline that is being drawn changes nothing before it ends.
      if (signal.aborted || edit.strokes.isOpen()) return;
      edit.replaceMask(pixels);
      setChosen(sha256);
    } catch (error) {
      if (!signal.aborted) fail(error, sha256);
    } finally {
      if (running.current === controller) setBusy(undefined);
    }
  }

  return { choose, busy, chosen, gone, problem };
}

interface ThumbProps {
  readonly mask: FamilyMask;
  readonly edit: Edit;
  readonly isBusy: boolean;
  readonly isChosen: boolean;
  readonly isGone: boolean;
  readonly onChoose: () => void;
}

/** The number of characters of the prompt in the name of a mask. */
const NAME_LENGTH = 60;

function MaskThumb({ mask, edit, isBusy, isChosen, isGone, onChoose }: ThumbProps) {
  const image = useImage(`${mask.path}/thumbnail?edge=256`);
  const { width, height } = edit.source;
  const name = text('canvas.masks.one', { prompt: mask.prompt.slice(0, NAME_LENGTH) });
  const isLost = isGone || image.state === 'failed';
  return (
    <button
      type="button"
      class="mask-thumb pickable"
      aria-label={name}
      title={name}
      aria-pressed={isChosen}
      aria-busy={isBusy}
      onClick={onChoose}
    >
      {isLost ? (
        <Icon of={FileX} />
      ) : (
        <span class="mask-shape" style={{ '--ratio': String(width / height) }}>
          {image.state === 'ready' && <img src={image.url} alt="" decoding="async" />}
        </span>
      )}
    </button>
  );
}
