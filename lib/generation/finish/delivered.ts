import type { Delivered } from '../../contract/reply/image-response.ts';
import { parseSize } from '../../contract/request/parameters.ts';
import type { VerifiedImage } from '../../images/image.ts';
import type { FinishPlan } from '../plan/plan.ts';

type Requested = FinishPlan['requested'];
type Actual = Pick<VerifiedImage, 'format' | 'width' | 'height' | 'alpha'>;

/** What is delivered against what was asked for, by the decoded pixels alone (contract.md 2, `delivered`). */
export function toDelivered(
  index: number,
  image: Actual,
  { parameters, formatNamed }: Requested,
): Delivered {
  const size = parseSize(parameters.size);
  const isSize = size?.width === image.width && size.height === image.height;
  return {
    index,
    size: size ? verdictOf(isSize) : 'unspecified',
    format: formatNamed ? verdictOf(image.format === parameters.output_format) : 'unspecified',
    alpha: alphaVerdict(image, parameters.background),
  };
}

function alphaVerdict(
  { alpha }: Actual,
  background: Requested['parameters']['background'],
): Delivered['alpha'] {
  const isSomeBelow255 = alpha === 'some' || alpha === 'empty';
  switch (background) {
    case 'auto':
      return 'unspecified';
    case 'transparent':
      return verdictOf(isSomeBelow255);
    case 'opaque':
      return verdictOf(!isSomeBelow255);
  }
}

function verdictOf(isHonoured: boolean): 'honoured' | 'changed' {
  return isHonoured ? 'honoured' : 'changed';
}
