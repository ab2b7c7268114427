import { Brush, Download, Eye, EyeOff, Heart, ImageUp, PencilLine, Shuffle } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { IconButton } from '../../controls/button.tsx';
import { text } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';
import { imageText, marksOfImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import './image-bar.css';

/** Offers the actions on the one image in view, if the job has several images. The actions above act on the whole job. */
export function ImageBar({ job }: { readonly job: Job }) {
  const { looking } = useLook();
  const { edit, openCanvas, refer, vary, varyText, markImage, download } = useJobActions();
  const { b: image } = looking;
  const isOne = image?.kind === 'output' && image.isOneOfSeveral && looking.view !== 'grid';
  if (!isOne) return null;
  const { favorite = false, hidden = false, note } = marksOfImage(job, image);
  const name = imageText(image);
  return (
    <div class="image-bar row" role="toolbar" aria-label={text('job.one', { image: name })}>
      <strong class="num">{name}</strong>
      {note !== undefined && (
        <span class="soft cut" dir="auto">
          {note}
        </span>
      )}
      <i class="sep" />
      <IconButton
        icon={Shuffle}
        label={text('job.one.vary.named', { way: varyText(image, job) })}
        onClick={() => vary(image, job)}
      />
      <IconButton
        icon={PencilLine}
        label={text('job.one.refine')}
        onClick={() => edit(image, job)}
      />
      <IconButton icon={Brush} label={text('canvas.open')} onClick={() => openCanvas(image, job)} />
      <IconButton icon={ImageUp} label={text('job.one.refer')} onClick={() => refer(image, job)} />
      <IconButton
        icon={Heart}
        label={text('job.one.favourite')}
        pressed={favorite}
        onClick={() => markImage(image, { favorite: !favorite })}
      />
      <IconButton
        icon={hidden ? Eye : EyeOff}
        label={text(hidden ? 'job.one.show' : 'job.one.hide')}
        onClick={() => markImage(image, { hidden: !hidden })}
      />
      <IconButton
        icon={Download}
        label={text('job.one.save')}
        onClick={() => void download(image)}
      />
    </div>
  );
}
