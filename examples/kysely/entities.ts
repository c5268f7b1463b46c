import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';

const productModel = defineModel('products', {
  table: 'products',
  managed: false, // made and migrated elsewhere
  id: field.text(),
  columns: { createdAt: null, updatedAt: null },
  version: false,
  fields: { name: field.text(), stock: field.integer() },
});

const orderModel = defineModel('orders', {
  fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), product: field.text() },
  indexes: [['ownerId', 'id']],
});

export const products = defineEntity({
  model: productModel,
  access: { list: rules.public, get: rules.public, create: false, update: false, delete: false },
});

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

export const orders = defineEntity({
  model: orderModel,
  access: { list: own, get: own, create: rules.authenticated(), update: false, delete: false },
});
