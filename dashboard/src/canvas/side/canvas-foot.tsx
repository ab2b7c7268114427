import { CircleAlert, Crop } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import type { Attachment } from '../../make/draft.ts';
import { Line, PlanLine, sendDraft, toWords, usePlanned } from '../../make/make-foot.tsx';
import { submitKey } from '../../make/make-go.tsx';
import { usePage } from '../../page-context.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/canvas-text.ts';
import { isBeyond, isWhole } from '../canvas-area.ts';
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
  readonly isAlone: boolean;
}

/** Shows the plan of the edit, and sends the edit. Then shows the job that makes the image. */
export function CanvasFoot({ edit, kept, hasFailed, source, isAlone }: FootProps) {
  const page = usePage();
  const { connection, router, submissions } = page;
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
  const isCut = isAlone && !isWhole(area, edit.source);
  const canCrop = isCut && connection.state.value !== 'offline';
  const canSend = !isSending && (isAlone ? canCrop : planned.canSubmit);

  async function made(): Promise<string | undefined> {
    await kept.save();
    if (!isAlone) return (await sendDraft(page)).id;
    const { content } = source;
    // A file that is not on the bridge is cropped together with its next edit.
    if (content instanceof Blob) return undefined;
    return (await submissions.crop(content.artifactId, area)).id;
  }

  async function send(): Promise<void> {
    if (!canSend) return;
    setSending(true);
    setFailure(undefined);
    try {
      const id = await made();
      // The request may have waited for the connection for long.
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
      {isAlone ? <CropLine edit={edit} source={source} /> : <PlanLine fixes={false} />}
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
        {text(sendText(edit, source, isAlone))}
        <kbd class="only-wide">{submitKey()}</kbd>
      </Button>
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
      detail={text(content instanceof Blob ? 'canvas.crop.later' : 'canvas.crop.free')}
    />
  );
}
