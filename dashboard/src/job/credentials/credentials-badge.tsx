import { Icon } from '../../controls/button.tsx';
import { useMenu } from '../../controls/menu.tsx';
import { text } from '../../text/text.ts';
import { type PlacedImage, upperCorner } from '../stage/image-layer.tsx';
import { idOf } from '../state/job-images.ts';
import { useChecks } from './checks.ts';
import { Story } from './story.tsx';
import { badgeText, isMarkedAsAi, toVerdict } from './verdict.ts';
import { LOOKS } from './verdict-looks.ts';

interface Props {
  readonly placed: PlacedImage;
  /** True if the start of the upper edge is taken by the letter of a comparison. */
  readonly atEnd: boolean;
}

/** Shows the verdict on the Content Credentials of an image in its corner. A press opens the story. */
export function CredentialsBadge({ placed, atEnd }: Props) {
  const checks = useChecks();
  const { isOpen, close, button, menu } = useMenu('dialog');
  const { image } = placed;
  const { provenance } = image;
  const { value: check } = checks.get(idOf(image));
  if (provenance === undefined) return null;
  const verdict = toVerdict(provenance, check.state === 'checked' ? check.report.state : undefined);
  const label = badgeText(verdict, provenance);
  const isAi = isMarkedAsAi(provenance);
  if (label === undefined && !isAi) return null;
  return (
    <div class="credentials-badge row" style={upperCorner(placed, atEnd)}>
      {label !== undefined && (
        <button {...button} type="button" class="chip row" title={text('credentials.story.open')}>
          <Icon small of={LOOKS[verdict].icon} />
          <span class="cut">{label}</span>
        </button>
      )}
      {isAi && <span class="chip">{text('credentials.ai.made')}</span>}
      {isOpen && <Story image={image} menu={menu} onClose={close} />}
    </div>
  );
}
