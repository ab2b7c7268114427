import {
  Brush,
  Download,
  Eye,
  EyeOff,
  Heart,
  type IconNode,
  ImageUp,
  PencilLine,
  Shuffle,
} from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { text } from '../../text/job-text.ts';
import { useJobActions } from '../job-actions.ts';
import { marksOfImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import './image-bar.css';

/** Offers the actions on the one image in view, if the job has several images. The actions above act on the whole job. */
export function ImageBar({ job }: { readonly job: Job }) {
  const { looking, images } = useLook();
  const { edit, openCanvas, refer, vary, varyText, markImage, download } = useJobActions();
  const { b: image } = looking;
  const isOne = image?.kind === 'output' && image.isOneOfSeveral && looking.view !== 'grid';
  if (!isOne) return null;
  const { favorite = false, hidden = false, note } = marksOfImage(job, image);
  const count = images.filter(({ kind }) => kind === 'output').length;
  const name = text('job.image.at', { number: image.number, count });
  return (
    <div class="image-bar row" role="toolbar" aria-label={text('job.one', { image: name })}>
      <strong class="num">
        {looking.a && <b>B</b>} {name}
      </strong>
      {note !== undefined && (
        <span class="note-text soft cut" dir="auto">
          {note}
        </span>
      )}
      <i class="sep" />
      <Action
        icon={Shuffle}
        word={text('job.one.vary')}
        label={text('job.one.vary.named', { way: varyText(image, job) })}
        onClick={() => vary(image, job)}
      />
      <Action
        icon={PencilLine}
        word={text('job.word.refine')}
        label={text('job.one.refine')}
        onClick={() => edit(image, job)}
      />
      <Action
        icon={Brush}
        word={text('job.word.mask')}
        label={text('canvas.open')}
        onClick={() => openCanvas(image, job)}
      />
      <Action
        icon={ImageUp}
        word={text('job.word.refer')}
        label={text('job.one.refer')}
        onClick={() => refer(image, job)}
      />
      <Action
        icon={Heart}
        word={text('card.favourite')}
        label={text('job.one.favourite')}
        pressed={favorite}
        onClick={() => markImage(image, { favorite: !favorite })}
      />
      <Action
        icon={hidden ? Eye : EyeOff}
        word={text(hidden ? 'job.word.show' : 'card.hide')}
        label={text(hidden ? 'job.one.show' : 'job.one.hide')}
        onClick={() => markImage(image, { hidden: !hidden })}
      />
      <Action
        icon={Download}
        word={text('job.word.save')}
        label={text('job.one.save')}
        onClick={() => void download(image)}
      />
    </div>
  );
}

interface ActionProps {
  readonly icon: IconNode;
  /** The visible word, which is a part of the label. A screen of medium width shows the icon alone. */
  readonly word: string;
  readonly label: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

function Action({ icon, word, label, pressed, onClick }: ActionProps) {
  return (
    <button
      type="button"
      class="action pickable"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon of={icon} filled={pressed ?? false} />
      <span class="word">{word}</span>
    </button>
  );
}
