import { CircleAlert, Crop } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import type { Attachment, Draft } from '../../make/draft.ts';
import { Line, PlanLine, sendDraft, toWords, usePlanned } from '../../make/make-foot.tsx';
import { submitKey } from '../../make/make-go.tsx';
import { usePage } from '../../page-context.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/canvas-text.ts';
import { isBeyond, isWhole } from '../canvas-area.ts';
import { shrinkTo } from '../change-area.ts';
import type { Edit } from '../edit.ts';
import type { KeptEdit } from '../keep-edit.ts';
import type { Mode } from '../stage/canvas-stage.tsx';

export interface SideProps {
  readonly edit: Edit;
  readonly kept: KeptEdit;
  readonly hasFailed: { readonly value: boolean };
  readonly source: Attachment;
  readonly mode: Mode;
}

interface FootProps extends SideProps {
  /** True if the edit is only a crop. */
  readonly isAlone: boolean;
  /** True if the edit can be sent as a crop alone, although it has a mask and a prompt. */
  readonly canCrop: boolean;
}

/** Shows the plan of the edit, and sends the edit. Then shows the job that makes the image. */
export function CanvasFoot({ edit, kept, hasFailed, source, isAlone, canCrop }: FootProps) {
  const page = usePage();
  const { connection, draft, router, submissions } = page;
  const planned = usePlanned();
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<ReturnType<typeof toWords>>();
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const { area } = edit.settings.value;
  const isOffline = connection.state.value === 'offline';
  const isCut = canCrop && !isWhole(area, edit.source) && !isOffline;
  const canSend = !isSending && (isAlone ? isCut : planned.canSubmit && !isTooLarge(edit, draft));

  async function made(isCrop: boolean): Promise<string | undefined> {
    await kept.save();
    if (!isCrop) return (await sendDraft(page)).id;
    const { content } = source;
    // A file that is not on the bridge is cropped together with its next edit.
    if (content instanceof Blob) return undefined;
    return (await submissions.crop(content.artifactId, area)).id;
  }

  async function send(isCrop = isAlone): Promise<void> {
    if (isSending || !(isCrop ? isCut : canSend)) return;
    setSending(true);
    setFailure(undefined);
    try {
      const id = await made(isCrop);
      // The request may have waited for the connection for a long time.
      if (isLeft.current) return;
      await router.back();
      if (id !== undefined) router.navigate(`/jobs/${id}`);
    } catch (error) {
      setFailure(toWords(error));
      setSending(false);
    }
  }

  useShortcuts({ '$mod+Enter': () => void send() }, true, 'dialog');
  return (
    <div class="canvas-foot stack">
      {isAlone ? <CropLine edit={edit} source={source} /> : <EditLine edit={edit} />}
      {hasFailed.value && (
        <p class="bad" role="alert">
          {text('mask.noMemory')}
        </p>
      )}
      {failure && (
        <div role="alert">
          <Line icon={CircleAlert} bad title={failure.text} detail={failure.detail} />
        </div>
      )}
      <Button look="primary" size="big" disabled={!canSend} onClick={() => void send()}>
        {text(isSending ? 'canvas.sending' : sendText(edit, source, isAlone))}
        {!isSending && <kbd class="only-wide">{submitKey()}</kbd>}
      </Button>
      {!isAlone && isCut && (
        <Button look="quiet" icon={Crop} disabled={isSending} onClick={() => void send(true)}>
          {text('canvas.crop.only')}
        </Button>
      )}
    </div>
  );
}

/** The largest canvas that may have a mask, in pixels. The mask of a whole image may be larger. */
const MASK_PIXELS = 4096 * 4096;

function isTooLarge({ settings, source }: Edit, draft: Draft): boolean {
  const { area } = settings.value;
  if (draft.mask.value === undefined || isWhole(area, source)) return false;
  return area.width * area.height > MASK_PIXELS;
}

/** Shows the plan of an edit, or what makes its canvas small enough for its mask. */
function EditLine({ edit }: { readonly edit: Edit }) {
  const { draft } = usePage();
  const { area } = edit.settings.value;
  if (!isTooLarge(edit, draft)) return <PlanLine fixes={false} />;
  const smaller = shrinkTo(MASK_PIXELS, area, edit.source);
  return (
    <div>
      <Line icon={CircleAlert} bad title={text('canvas.tooLarge')} />
      <div class="canvas-fixes row">
        {smaller && (
          <Button size="small" onClick={() => edit.set({ area: smaller })}>
            {text('canvas.fix.smaller')}
          </Button>
        )}
        <Button size="small" onClick={edit.clear}>
          {text('plan.fix.removeMask')}
        </Button>
      </div>
    </div>
  );
}

function sendText(edit: Edit, { content }: Attachment, isAlone: boolean) {
  if (isAlone) return content instanceof Blob ? 'canvas.crop.keep' : 'canvas.crop.send';
  return isBeyond(edit.settings.value.area, edit.source) ? 'canvas.extend.send' : 'canvas.send';
}

interface CropLineProps {
  readonly edit: Edit;
  readonly source: Attachment;
}

function CropLine({ edit, source: { content } }: CropLineProps) {
  const { area } = edit.settings.value;
  if (isWhole(area, edit.source)) return <Line icon={Crop} title={text('canvas.crop.whole')} />;
  const size = { width: String(area.width), height: String(area.height) };
  return (
    <Line
      icon={Crop}
      title={text('make.canvas.exact', size)}
      detail={[
        text(content instanceof Blob ? 'canvas.crop.later' : 'canvas.crop.free'),
        edit.share.value > 0 && text('canvas.crop.unused'),
      ]
        .filter(Boolean)
        .join(' ')}
    />
  );
}
