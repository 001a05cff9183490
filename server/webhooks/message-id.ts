/** The header `webhook-id` of a delivery: the same in every attempt and replay. */
export const messageIdOf = (deliveryId: string) => `msg_${deliveryId.replaceAll('-', '')}`;
