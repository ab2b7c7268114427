import { ModelPicker } from '../../make/model-picker.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/canvas-text.ts';
import { isBeyond, isWhole } from '../canvas-area.ts';
import type { Edit } from '../edit.ts';
import type { Mode } from '../stage/canvas-stage.tsx';
import { AreaBlock } from './area-block.tsx';
import { CanvasFoot, type SideProps } from './canvas-foot.tsx';
import { ChangeBlock } from './change-block.tsx';
import { FamilyMasks } from './family-masks.tsx';
import './canvas-side.css';

/** Returns true if the edit can be sent as a crop, which the bridge makes without a model. */
function canCropAlone(edit: Edit, mode: Mode): boolean {
  return mode === 'crop' && !isBeyond(edit.settings.value.area, edit.source);
}

/** Renders the settings of the edit beside the stage, with its plan and the button that sends it. */
export function CanvasSide(props: SideProps) {
  const { edit, mode, source } = props;
  const { draft } = usePage();
  const canCrop = canCropAlone(edit, mode);
  const hasMask = edit.share.value > 0;
  // Without a prompt, nothing is drawn under the mask.
  const isAlone = canCrop && !(hasMask && draft.settings.value.prompt?.trim());
  return (
    <div class="canvas-side" role="complementary" aria-label={text('canvas.side')}>
      <div class="side-body scroll stack">
        {(!isAlone || hasMask) && <Prompt edit={edit} />}
        {mode !== 'mask' && <AreaBlock edit={edit} way={mode} />}
        {mode !== 'crop' && <ChangeBlock edit={edit} />}
        {mode !== 'crop' && source.jobId !== undefined && (
          <FamilyMasks edit={edit} jobId={source.jobId} />
        )}
        {!isAlone && <ModelPicker />}
      </div>
      <CanvasFoot {...props} isAlone={isAlone} canCrop={canCrop} />
    </div>
  );
}

function Prompt({ edit }: { readonly edit: Edit }) {
  const { draft } = usePage();
  const isLocal = edit.share.value > 0 || !isWhole(edit.settings.value.area, edit.source);
  return (
    <div class="prompt-box stack edged">
      <label class="sr" for="canvas-prompt">
        {text('make.prompt')}
      </label>
      <textarea
        id="canvas-prompt"
        rows={3}
        dir="auto"
        placeholder={text(isLocal ? 'canvas.prompt.part' : 'canvas.prompt')}
        value={draft.settings.value.prompt ?? ''}
        onInput={(event) => draft.change({ prompt: event.currentTarget.value })}
      />
    </div>
  );
}
